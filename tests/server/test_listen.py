import socket

from dramaturg.server.uvicorn_server import listen


def test_what_a_connection_is_sent_does_not_wait_for_the_client_to_acknowledge_what_came_before() -> None:
    with listen("127.0.0.1", 0) as door, socket.create_connection(door.getsockname()):
        accepted, _ = door.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
