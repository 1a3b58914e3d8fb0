# Files as numpy, pandas, ASE, h5py and VTK write them: the tool must find in each the pairs that
# a plain double loop finds in the array they were made from.
#   other_programs.py TOOL READER...      READER: csv, npy, vtk, h5md: what the tool was built with
import gzip, importlib, os, subprocess, sys, tempfile
import numpy as np

tool, readers = os.path.abspath(sys.argv[1]), " ".join(sys.argv[2:]).split()
random = np.random.default_rng(7)
x = random.random((200, 3))
radius = 0.1 * random.random(200)
ids = random.permutation(1000)[:200]
cutoff = 0.15

def expected(x, reach, cell=None):
    """Pairs (i, j, image), i < j; `cell` holds the lengths, 0 on an open axis. No self images."""
    shifts = [(0, 0, 0)]
    if cell is not None:
        ranges = [(-1, 0, 1) if length > 0 else (0,) for length in cell]
        shifts = [(a, b, c) for a in ranges[0] for b in ranges[1] for c in ranges[2]]
    result = set()
    for n in shifts:
        d = x[None, :, :] - x[:, None, :] + (np.array(n) * cell if cell is not None else 0)
        i, j = np.nonzero((d * d).sum(axis=2) <= reach * reach)
        result |= {(a, b) + n for a, b in zip(i.tolist(), j.tolist()) if a < b}
    return result if cell is not None else {pair[:2] for pair in result}

def found(file, *arguments):
    lines = subprocess.run([tool, "pairs", file, *arguments, "-o", "-"], check=True, capture_output=True, text=True)
    return {tuple(map(int, line.split(","))) for line in lines.stdout.splitlines()[1:]}

plain = expected(x, cutoff)
touching = expected(x, radius[:, None] + radius[None, :])
assert len(plain) > 100 and len(touching) > 20
checked = 0

def same(file, arguments, pairs):
    global checked
    got = found(file, *arguments)
    assert got == pairs, (file, arguments, len(got), len(pairs))
    checked += 1

def points(file, *arguments):
    same(file, ("--cutoff", str(cutoff), *arguments), plain)

def spheres(file, *arguments):
    same(file, ("--radius", "column", *arguments), touching)

def has(module):
    try:
        return importlib.import_module(module)
    except ImportError:
        print("not tested:", module)

def with_numpy():
    np.save("a.npy", x)
    points("a.npy")
    np.save("f.npy", np.asfortranarray(x))
    points("f.npy")
    with gzip.open("a.npy.gz", "wb") as file:
        np.save(file, x)
    points("a.npy.gz")
    np.savez("a.npz", positions=x, radius=radius, forces=np.zeros((200, 3, 3)), title=np.array("text"), cell=np.eye(3))
    spheres("a.npz")
    points("a.npz:positions")
    np.savez_compressed("c.npz", positions=x, radius=radius)
    spheres("c.npz")
    np.savez("one.npz", x)
    points("one.npz")
    record = np.zeros(200, dtype=[("name", "U5"), ("pos", "<f8", (3,)), ("radius", ">f8"), ("id", "<i8")])
    record["pos"], record["radius"], record["id"] = x, radius, ids
    np.save("record.npy", record)
    spheres("record.npy")
    members = [("id", "<i2"), ("x", "<f8"), ("fixed", "?"), ("y", "<f8"), ("z", "<f8")]
    aligned = np.zeros(200, dtype=np.dtype(members, align=True))
    aligned["x"], aligned["y"], aligned["z"] = x.T
    np.save("aligned.npy", aligned)
    points("aligned.npy")
    np.savetxt("comma.csv", x, delimiter=",", header="x,y,z")
    points("comma.csv")
    np.savetxt("blank.txt", x, header="two lines\nx y z")
    points("blank.txt")
    np.savetxt("bare.csv.gz", x, delimiter=",")
    points("bare.csv.gz", "--fields", "x,y,z")
    named = {(ids[i], ids[j]) for i, j in plain}
    same("record.npy", ("--cutoff", str(cutoff), "--ids"), named)
    subprocess.run([tool, "nearest", "a.npy", "--k", "2", "-o", "near.npy"], check=True, stdout=subprocess.DEVNULL)
    near = np.load("near.npy")
    assert near["i"].dtype.kind == "i" and near["j"].dtype.kind == "i" and len(near) == 400
    d = np.sqrt(((x[near["i"]] - x[near["j"]]) ** 2).sum(axis=1))
    assert np.allclose(d, near["distance"], rtol=1e-12, atol=0)

def with_pandas(pandas):
    table = pandas.DataFrame(x, columns=["x", "y", "z"])
    table["radius"] = radius
    for name, arguments in {"index.csv": {}, "decimal.csv": dict(sep=";", decimal=","),
                            "tab.tsv": dict(sep="\t", index=False), "packed.csv.gz": {}}.items():
        table.to_csv(name, **arguments)
        spheres(name)

def with_ase(ase):
    from ase.io import write
    cell = np.array([1, 1.25, 0])
    box = expected(x, cutoff, cell)
    frames = [ase.Atoms("H200", positions=x + k, cell=[1, 1.25, 2], pbc=[True, True, False]) for k in range(3)]
    write("t.extxyz", frames)
    write("t.xyz.gz", frames, format="extxyz")
    for name in ("t.extxyz", "t.xyz.gz"):
        for frame, k in {"1": 0, "2": 1, "last": 2}.items():
            # Extended XYZ is text: the coordinates are those of the file.
            same(name, ("--cutoff", str(cutoff), "--frame", frame),
                 expected(np.round(x + k, 8), cutoff, cell))
    write("plain.xyz", frames, format="xyz")
    subprocess.run([tool, "pairs", "plain.xyz", "--cutoff", str(cutoff), "--frame", "all", "-o", "p.npy"],
                   check=True, stdout=subprocess.DEVNULL)
    for k in range(3):
        assert {tuple(pair) for pair in np.load(f"p.{k + 1}.npy").tolist()} == plain
    assert len(box) > len(plain)

def with_h5py(h5py):
    cell = np.array([1, 0, 1.25])
    with h5py.File("t.h5", "w") as file:
        group = file.create_group("particles/all")
        position = group.create_group("position")
        position["value"] = np.stack([x + k for k in range(3)])
        position["step"] = np.arange(3) * 100
        edges = group.create_group("box/edges")
        edges["value"] = np.stack([[1, 2, 1.25]] * 3)
        edges["step"] = position["step"]
        group["box"].attrs["boundary"] = ["periodic", "none", "periodic"]
        group.create_dataset("radius", data=radius, compression="gzip")
    for k in range(3):
        same("t.h5", ("--cutoff", str(cutoff), "--frame", str(k + 1)), expected(x + k, cutoff, cell))
    spheres("t.h5", "--domain", "open")

def with_vtk(vtk):
    from vtkmodules.util.numpy_support import numpy_to_vtk
    from vtkmodules.vtkCommonCore import vtkPoints, vtkStringArray
    from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkPolyData, vtkTetra, vtkTriangle, vtkUnstructuredGrid
    coordinates = vtkPoints()
    coordinates.SetDataTypeToDouble()
    coordinates.SetData(numpy_to_vtk(x, deep=True))
    surface, volume = vtkPolyData(), vtkUnstructuredGrid()
    for data in (surface, volume):
        data.SetPoints(coordinates)
        array = numpy_to_vtk(radius, deep=True)
        array.SetName("Radius")
        data.GetPointData().AddArray(array)
        text = vtkStringArray()
        text.SetName("label")
        for k in range(200):
            text.InsertNextValue(f"point {k}")
        data.GetPointData().AddArray(text)
    triangles = vtkCellArray()
    corners = random.integers(0, 200, (60, 3))
    for triple in corners:
        triangle = vtkTriangle()
        for k in range(3):
            triangle.GetPointIds().SetId(k, triple[k])
        triangles.InsertNextCell(triangle)
    surface.SetPolys(triangles)
    for k in range(0, 200, 4):
        tetra = vtkTetra()
        for c in range(4):
            tetra.GetPointIds().SetId(c, k + c)
        volume.InsertNextCell(tetra.GetCellType(), tetra.GetPointIds())
    low, high = x[corners].min(axis=1), x[corners].max(axis=1)
    meet = ((low[:, None] <= high[None]) & (low[None] <= high[:, None])).all(axis=2)
    apart = {(i, j) for i, j in zip(*map(np.ndarray.tolist, np.nonzero(meet)))
             if i < j and not set(corners[i]) & set(corners[j])}
    assert len(apart) > 100
    for writer, data, name in ((vtk.vtkXMLPolyDataWriter(), surface, "a.vtp"),
                               (vtk.vtkXMLUnstructuredGridWriter(), volume, "a.vtu")):
        writer.SetInputData(data)
        writer.SetFileName(name)
        zlib = writer.GetCompressor()
        for mode in (0, 1, 2):  # ascii, inline, appended
            for encoded in (False, True):
                for compressor in (None, zlib):
                    for bits in (32, 64):
                        writer.SetDataMode(mode)
                        writer.SetEncodeAppendedData(encoded)
                        writer.SetCompressor(compressor)
                        writer.SetHeaderType(bits)
                        writer.SetByteOrder(bits == 32)
                        assert writer.Write() == 1
                        spheres(name)
                        if data is surface:
                            same(name, ("--boxes", "--skip-adjacent"), apart)

with tempfile.TemporaryDirectory() as work:
    os.chdir(work)
    with_numpy()
    for name, module, reader, test in (("pandas", "pandas", "csv", with_pandas), ("ASE", "ase", "csv", with_ase),
                                       ("h5py", "h5py", "h5md", with_h5py),
                                       ("VTK", "vtkmodules.vtkIOXML", "vtk", with_vtk)):
        if reader in readers and (loaded := has(module)):
            test(loaded)
    print(checked, "files agree")
    os.chdir("/")
