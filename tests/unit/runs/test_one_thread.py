"""Limits on threads belong to the process: whoever leaves first must not lift those that others rely on."""

import threading

from threadpoolctl import ThreadpoolController, threadpool_limits

from pulasso.runs import one_blas_thread


def n_threads():
    return {pool["num_threads"] for pool in ThreadpoolController().info() if pool["user_api"] == "blas"}


def test_users_that_overlap():
    with threadpool_limits(2):
        before = n_threads()
        entered, left = threading.Event(), threading.Event()

        def other():
            with one_blas_thread():
                entered.set()
                left.wait(10)

        thread = threading.Thread(target=other)
        with one_blas_thread():
            thread.start()
            entered.wait(10)
        assert n_threads() == {1}  # the other is still at work
        left.set()
        thread.join()
        assert n_threads() == before


def test_users_inside_one_another():
    with threadpool_limits(2):
        before = n_threads()
        with one_blas_thread():
            with one_blas_thread():
                assert n_threads() == {1}
            assert n_threads() == {1}
        assert n_threads() == before
