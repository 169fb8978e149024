"""few.py MODEL COUNT [fork|spawn|forkserver|pool] -- that many inferences, here
and in two children each."""
import multiprocessing
import os
import sys

sys.path[:0] = os.environ.get("ORTMETER_TEST_PATH", "").split(":")  # python -I

import numpy as np
import onnxruntime as ort


def work(model, count):
    s = ort.InferenceSession(model, providers=["CPUExecutionProvider"])
    x = {"x": np.ones((3, 64), np.float32)}
    return sum(float(s.run(None, x)[0].sum()) for _ in range(count))


def main():
    model, count = sys.argv[1], int(sys.argv[2])
    print(work(model, count))
    if len(sys.argv) < 4:
        return
    how = "fork" if sys.argv[3] == "pool" else sys.argv[3]
    context = multiprocessing.get_context(how)
    if sys.argv[3] == "pool":
        with context.Pool(2) as pool:
            print(pool.starmap(work, [(model, count)] * 2))
        return
    children = [context.Process(target=work, args=(model, count))
                for _ in range(2)]
    for c in children:
        c.start()
    for c in children:
        c.join()
    print([c.exitcode for c in children])


if __name__ == "__main__":
    main()
