"""Exposing an inner tensor of an ONNX model as an output: how long each phoneme is held."""

from __future__ import annotations


def with_output(model: bytes, name: str) -> bytes:
    """An ONNX file whose graph also outputs the tensor `name`.

    Appended protobuf fields are merged into the existing message, so nothing has to be parsed and no library is
    needed. Wire format: protobuf; ModelProto.graph is field 7, GraphProto.output 12,
    ValueInfoProto.name 1 and .type 2, TypeProto.tensor_type 1, its elem_type 1 (1 is float32).
    """
    tensor = _field(1, _varint(1 << 3) + _varint(1))
    return model + _field(7, _field(12, _field(1, name.encode()) + _field(2, tensor)))


def _field(number: int, payload: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(payload)) + payload


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])
