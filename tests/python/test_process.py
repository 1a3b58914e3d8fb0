"""Memory, threads, signals, forks and pickles."""

import gc
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import weakref

import numpy as np
import pytest
import vicinal


def cloud(n, seed=1):
    return np.random.default_rng(seed).random((n, 3))


def test_arrays_outlive_everything():
    x = cloud(2000)
    p = vicinal.pairs(x, 0.1, columns="ijSdD", box=1.0)
    j, d = p.j, p.distances
    copies = j.copy(), d.copy()
    del p
    gc.collect()
    for seed in range(5):  # would overwrite released memory
        vicinal.pairs(cloud(2000, seed), 0.1, columns="ijSdD", box=1.0)
    assert np.array_equal(j, copies[0]) and np.array_equal(d, copies[1])
    assert j.flags.writeable and not j.flags.owndata
    j[:] = 0  # it is the caller's


def test_memory_is_used_again():
    x = cloud(200000)
    f = vicinal.Finder(box=1.0)
    addresses = set()
    for _ in range(4):
        p = f.pairs(x, 0.02)
        addresses.add(p.indices.ctypes.data)
        del p
    assert len(addresses) == 1
    vicinal.trim()


def resident():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def test_nothing_leaks():
    x = cloud(1000)

    def work():
        f = vicinal.Finder(box=1.0)
        p = f.pairs(x, 0.1, columns="ijSdD")
        rows = f.neighbours(x, 0.1)
        with f.hold(x, 0.1) as s:
            s.changes(), s.probe(x, 0.1), s.nearest(k=3)
        for _ in f.stream(x, 0.1):
            pass
        return len(p) + len(rows)

    for _ in range(10):
        work()
    before = resident()
    for _ in range(100):  # results and finders of 100 rounds are more than 50 MB
        work()
    assert resident() - before < 20e6


def test_streams_in_bounded_memory():
    x = cloud(100000)
    f = vicinal.Finder(box=1.0)
    expected = f.count(x, 0.05)
    seen = kept = 0
    for block in f.stream(x, 0.05, columns="ijd"):
        assert (block.distances <= 0.05).all()
        assert (block.i < block.j).all()
        seen += len(block)
        kept = block
    assert seen == expected > 1e6
    copy = kept.indices.copy()
    for _ in f.stream(x, 0.05):  # does not overwrite a block that somebody keeps
        pass
    assert np.array_equal(kept.indices, copy)
    for _ in f.stream(x, 0.05):  # may be left early
        break
    assert f.count(x, 0.05) == expected
    with pytest.raises(vicinal.InputError):
        list(f.stream(np.full((2, 3), np.nan), 0.1))
    with f.hold(x, 0.05) as s:
        assert sum(map(len, s.stream())) == expected
    y, seen = x.copy(), 0
    for block in f.stream(y, 0.05, columns="ijSD"):  # of the bodies when the call was made
        y[:] = 0
        assert np.allclose(block.vectors, x[block.j] - x[block.i] + block.images)
        seen += len(block)
    assert seen == expected
    f.set_box(0.9)
    late = f.stream(x, 0.05)
    f.count(x[:10], 0.01)
    with pytest.raises(vicinal.Error, match="other bodies"):
        next(late)


def test_blocks_that_are_dropped_are_used_again():
    f = vicinal.Finder(threads=1)
    # As long as the search lasts, its arrays are those of the first blocks.
    arrays, alive = [], []
    for block in f.stream(cloud(100000), 0.06, columns="ijd"):
        arrays += [weakref.ref(block.indices.base), weakref.ref(block.distances.base)]
        alive.append(all(array() is not None for array in arrays))
    assert len(alive) > 20 and all(alive)
    assert len(set(map(id, arrays))) <= 8


def test_exit_in_the_middle_of_a_stream():
    program = """
import numpy as np, vicinal
blocks = vicinal.Finder().stream(np.random.default_rng(1).random((100000, 3)), 0.05)
print(len(next(blocks)) > 0)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "True\n", "")


def test_streams_of_several_threads_and_children():
    x = cloud(20000)
    f = vicinal.Finder(box=1.0)
    expected = f.count(x, 0.05)
    paused = f.stream(x, 0.05)
    first = len(next(paused))
    found = []
    thread = threading.Thread(target=lambda: found.append(first + sum(map(len, paused))))
    thread.start()
    thread.join()
    assert found == [expected]
    with pytest.raises(KeyError):
        for _ in f.stream(x, 0.05):
            raise KeyError
    next(f.stream(x, 0.05))
    running = f.stream(x, 0.05)
    next(running)
    child = os.fork()
    if child == 0:
        os._exit(int(vicinal.count(x, 0.05, box=1.0) != expected))
    assert os.waitpid(child, 0)[1] == 0
    running.close()
    assert f.count(x, 0.05) == expected


def test_the_gil_is_released():
    x = cloud(300000)
    f = vicinal.Finder(box=1.0, threads=1)
    f.count(x, 0.06)
    ticks = []
    done = threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    begin = time.perf_counter()
    f.count(x, 0.06)
    end = time.perf_counter()
    done.set()
    thread.join()
    assert sum(begin < t < end for t in ticks) > 3


def test_threads_have_finders_of_their_own():
    x = cloud(20000)
    expected = vicinal.count(x, 0.05, box=1.0)
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(vicinal.count(x, 0.05, box=1.0)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


def test_one_finder_in_two_threads_is_an_error_or_right():
    x = cloud(100000)
    f = vicinal.Finder(box=1.0)
    expected = f.count(x, 0.05)
    outcomes = []

    def work():
        for _ in range(5):
            try:
                outcomes.append(f.count(x, 0.05))
            except vicinal.BusyError:
                outcomes.append("busy")

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(outcomes) <= {expected, "busy"}


LONG = """
import signal, sys, threading, time
import numpy as np
import vicinal
signal.signal(signal.SIGINT, signal.default_int_handler)  # a parent may ignore it
x = np.random.default_rng(1).random((400000, 3))
f = vicinal.Finder(box=1.0)
interrupted = False
{before}
print("begin", flush=True)
begin = time.perf_counter()
try:
    for _ in range(1000):
        {call}
    print("finished")
except KeyboardInterrupt:
    interrupted = True  # until here the traceback may hold a stream, which holds the finder
if interrupted:
    print("interrupted", f.count(x[:1000], 0.1) > 0)
"""


def interrupt(call, before="", after=0.7):
    """Runs a program, sends SIGINT, and returns what it printed and the seconds until its end."""
    child = subprocess.Popen(
        [sys.executable, "-c", LONG.format(call=call, before=before)],
        stdout=subprocess.PIPE, text=True,
    )
    stuck = threading.Timer(60, child.kill)
    stuck.start()
    assert child.stdout.readline() == "begin\n"
    time.sleep(after)
    child.send_signal(signal.SIGINT)
    sent = time.perf_counter()
    printed = child.stdout.readline().strip()
    seconds = time.perf_counter() - sent
    child.wait()
    stuck.cancel()
    return printed, seconds


@pytest.mark.parametrize(
    "call",
    [
        "f.count(x, 0.12)",  # many seconds each
        "f.pairs(x, 0.05, columns='ijSdD')",
        "f.neighbours(x, 0.05)",
        "f.nearest(x, 30)",
        "vicinal.batch(x, np.arange(0, 400001, 100), 0.4, 1.0)",
        "[len(b) for b in f.stream(x, 0.1)]",
    ],
)
def test_ctrl_c(call):
    printed, seconds = interrupt(call)
    assert printed == "interrupted True"
    assert seconds < 3  # on a machine with nothing else to do 0.1; the calls would take minutes


def test_a_handler_that_returns_does_not_end_the_call():
    before = "caught = []; signal.signal(signal.SIGINT, lambda *_: caught.append(1))"
    call = "n = f.count(x, 0.06); print(len(caught), n == f.count(x, 0.06)); break"
    printed, _ = interrupt(call, before, after=0.2)
    assert printed in ("1 True", "0 True")  # 0: the call was faster than the signal


def child_counts(x, queue):
    queue.put(vicinal.count(x, 0.05, box=1.0))


def test_a_forked_child_answers():
    x = cloud(50000)
    f = vicinal.Finder(box=1.0)
    expected = f.count(x, 0.05)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=child_counts, args=(x, queue))
    child.start()
    assert queue.get(timeout=60) == expected
    child.join()
    reader, writer = os.pipe()
    if os.fork() == 0:  # with the parent's finder
        os.write(writer, str(f.count(x, 0.05)).encode())
        os._exit(0)
    os.wait()
    assert int(os.read(reader, 100)) == expected


class Dataset:
    """What the workers of a DataLoader hold: a finder made by the parent."""

    def __init__(self):
        self.finder = vicinal.Finder(box=1.0, threads=1)
        self.finder.count(cloud(100), 0.1)

    def __call__(self, seed):
        return self.finder.count(cloud(5000, seed), 0.1)


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_pools(method):
    data = Dataset()
    expected = [data(seed) for seed in range(8)]
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(data, range(8)) == expected


def test_pickled_finders():
    f = vicinal.Finder((1, 2, 3), (True, True, False), method="kd_tree", threads=2, max_pairs=10**6)
    g = pickle.loads(pickle.dumps(f))
    assert repr(f) == repr(g) and "kd_tree" in repr(g)
    assert g.pairs(cloud(100), 0.2).report["method"].startswith("kd_tree")
    x = cloud(300)
    assert f.count(x, 0.2) == g.count(x, 0.2)


def test_representations():
    p = vicinal.pairs(cloud(50), 0.3, columns="ijSd", box=1.0)
    assert repr(p) == f"<vicinal.Pairs: {len(p)} pairs, columns ijSd>"
    html = p._repr_html_()
    assert html.count("<tr>") == 9 and "distances" in html and "&lt;vicinal.Pairs" in html
    rows = vicinal.neighbours(cloud(50), 0.3)
    assert "50 rows" in repr(rows) and rows._repr_html_().count("<tr>") == 9
    assert "Changes" in repr(vicinal.Finder().hold(cloud(5), 1.0).changes())
