# Reads the frames of a run with VTK's readers: the values of the last frame must reproduce the
# statistics of the run.
#   vtk_read.py TOOL
import csv, math, os, subprocess, sys, tempfile, xml.etree.ElementTree as xml
from vtkmodules.vtkIOXML import vtkXMLPolyDataReader
from vtkmodules.util.numpy_support import vtk_to_numpy

def read(file):
    reader = vtkXMLPolyDataReader()
    errors = []
    reader.AddObserver("ErrorEvent", lambda *_: errors.append(1))
    reader.SetFileName(file)
    reader.Update()
    assert not errors, file
    return reader.GetOutput()

def array(data, name):
    return vtk_to_numpy(data.GetPointData().GetArray(name)).astype(float)

with tempfile.TemporaryDirectory() as work:
    out = os.path.join(work, "out")
    subprocess.run([sys.argv[1], "run", "falling", "--n", "1234", "--steps", "6", "--every", "3", "spread=0.2",
                    "-o", out], check=True, stdout=subprocess.DEVNULL)
    frames = xml.parse(os.path.join(out, "bodies.pvd")).getroot().findall("./Collection/DataSet")
    assert [f.get("file") for f in frames] == [f"bodies_00000{k}.vtp" for k in (0, 3, 6)], frames
    with open(os.path.join(out, "series.csv")) as file:
        series = {int(row["step"]): row for row in csv.DictReader(file)}
    for frame, step in zip(frames, (0, 3, 6)):
        data = read(os.path.join(out, frame.get("file")))
        assert data.GetNumberOfPoints() == 1234 and data.GetNumberOfVerts() == 1, frame
        assert data.GetCell(0).GetNumberOfPoints() == 1234
        x = vtk_to_numpy(data.GetPoints().GetData()).astype(float)
        v, r = array(data, "velocity"), array(data, "radius")
        assert x.shape == v.shape == (1234, 3) and r.shape == (1234,)
        mass = 4 * math.pi / 3 * r**3
        assert math.isclose(mass.sum(), 0.1, rel_tol=1e-5)
        if step == 0:
            assert (v == 0).all() and x.min() >= 0 and x.max() <= 1 and float(frame.get("timestep")) == 0
            continue
        row = series[step]
        assert float(frame.get("timestep")) == float(row["time"])
        assert math.isclose((mass / 2 * (v**2).sum(axis=1)).sum(), float(row["kinetic"]), rel_tol=1e-5)
        assert math.isclose((mass * x[:, 2]).sum(), float(row["potential"]), rel_tol=1e-5)
        assert math.isclose((mass * v[:, 2]).sum(), float(row["momentum_z"]), rel_tol=1e-5)

    # The static spheres: no particle comes nearer to them than its radius.
    over = os.path.join(work, "over")
    subprocess.run([sys.argv[1], "run", "fluid", "--n", "2000", "--steps", "4", "--every", "4", "spheres=60",
                    "length=1", "width=1", "height=1", "-o", over], check=True, stdout=subprocess.DEVNULL)
    solids, bodies = read(os.path.join(over, "solids.vtp")), read(os.path.join(over, "bodies_000004.vtp"))
    assert solids.GetNumberOfPoints() == 60 and bodies.GetNumberOfPoints() == 2000
    places = vtk_to_numpy(bodies.GetPoints().GetData()).astype(float)
    nearest = 1
    for centre, radius in zip(vtk_to_numpy(solids.GetPoints().GetData()).astype(float), array(solids, "radius")):
        assert 1 / 32 <= radius <= 1 / 8
        gaps = ((places - centre) ** 2).sum(axis=1) ** 0.5 - radius - array(bodies, "radius")
        nearest = min(nearest, gaps.min())
    assert -1e-6 < nearest < 1e-3, nearest
