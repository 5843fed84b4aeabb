"""The public interface: type hints, documentation, and defaults of everything that `import texcast` gives."""

import ast
import dataclasses
import inspect
import re
import typing
from pathlib import Path

from cases import Case, main, texcast
from texcast._types import Array, Bytes, Float32

FOLDER = Path(texcast.__file__).parent
TIMES = {"pts", "timeout", "limit", "max_age", "refresh_seconds"}
ARRAYS = (Array, Bytes, Float32)


def own_members(kind):
    """Public functions and properties of a class, with those special methods that a reader may look up."""
    for name, member in vars(kind).items():
        if isinstance(member, (classmethod, staticmethod)):
            member = member.__func__
        documented = name in ("__init__", "__iter__") and not dataclasses.is_dataclass(kind)
        if (documented or not name.startswith("_")) and (inspect.isfunction(member) or isinstance(member, property)):
            yield f"{kind.__name__}.{name}", member


def public():
    """(name, function, class or property) of all that is public."""
    for name in texcast.__all__:
        member = getattr(texcast, name)
        yield name, member
        if inspect.isclass(member):
            yield from own_members(member)


def functions():
    """(name, function) of all that is public and callable, but for classes."""
    for name, member in public():
        if isinstance(member, property):
            yield name, member.fget
        elif inspect.isfunction(member):
            yield name, member


class Interface(Case):
    def test_everything_is_documented(self):
        for name, member in public():
            with self.subTest(name):
                self.assertGreater(len((member.__doc__ or "").strip()), 15)
                if not isinstance(member, property):
                    self.assertNotIn("Initialize self", member.__doc__)
        self.assertEqual({name for name in dir(texcast) if not name.startswith("_")} - set(texcast.__all__), set())

    def test_fields_of_data_classes_are_documented(self):
        found = 0
        for file in FOLDER.glob("*.py"):
            for node in ast.walk(ast.parse(file.read_text())):
                if not isinstance(node, ast.ClassDef) or not any("dataclass" in ast.dump(d) for d in node.decorator_list):
                    continue
                for field, after in zip(node.body, node.body[1:] + [None]):
                    if isinstance(field, ast.AnnAssign):
                        found += 1
                        with self.subTest(f"{node.name}.{field.target.id}"):
                            self.assertTrue(isinstance(after, ast.Expr) and isinstance(after.value.value, str))
        self.assertGreater(found, 60)

    def test_arrays_have_shapes_and_types_and_times_have_units(self):
        for name, function in functions():
            hints = typing.get_type_hints(function)
            of_class = getattr(texcast, name.split(".")[0]).__doc__
            with self.subTest(name):
                if hints.get("return") in ARRAYS:
                    self.assertRegex(function.__doc__, r"shape|\(height")
                    self.assertRegex(function.__doc__, "uint8|dtype|type")
                for parameter in TIMES & set(inspect.signature(function).parameters):
                    if name != "Receiver.__init__":  # refers to receive()
                        self.assertIn("second", (function.__doc__ + of_class).lower(), parameter)

    def test_everything_has_type_hints_that_resolve(self):
        self.assertTrue((FOLDER / "py.typed").exists())
        for name, function in functions():
            with self.subTest(name):
                hints = typing.get_type_hints(function)
                signature = inspect.signature(function)
                self.assertIn("return", hints)
                for parameter in signature.parameters.values():
                    if parameter.name not in ("self", "cls"):
                        self.assertIn(parameter.name, hints)
                        if parameter.default not in (inspect.Parameter.empty, None):
                            wanted = hints[parameter.name]
                            kinds = typing.get_args(wanted) or (wanted,)
                            if float in kinds:
                                kinds += (int,)
                            if parameter.default != ():
                                self.assertIsInstance(parameter.default, tuple(typing.get_origin(k) or k for k in kinds))

    def test_every_argument_is_explained(self):
        refers = {"Encoder.__init__": "encode", "Receiver.__init__": "receive", "Sender.__init__": "encode",
                  "Transcoder.__init__": "encode", "transcode": "encode"}
        for name, function in functions():
            text = function.__doc__ + getattr(texcast, name.split(".")[0]).__doc__
            if name in refers:
                text += getattr(texcast, refers[name]).__doc__
            for parameter in inspect.signature(function).parameters:
                if parameter in ("self", "cls", "texture", "frame", "array", "arrays", "path", "destinations"):
                    continue
                with self.subTest(name, parameter=parameter):
                    self.assertRegex(text, rf"\b{parameter}\b")

    def test_functions_and_classes_take_the_same_arguments(self):
        def parameters(function, *without):
            return {name: (p.default, p.annotation) for name, p in inspect.signature(function).parameters.items()
                    if name not in ("self", *without)}

        self.assertEqual(parameters(texcast.receive), parameters(texcast.Receiver.__init__, "on_frame", "on_sound"))
        shared = parameters(texcast.encode, "array", "pixel_format")
        encoder = parameters(texcast.Encoder.__init__)
        self.assertEqual(shared, {name: encoder[name] for name in shared})
        sender = parameters(texcast.Sender.__init__)
        shared = {name: shared[name] for name in shared if name not in ("method", "format")}  # the preset has a format
        self.assertEqual({name: sender[name] for name in shared}, shared)

    def test_defaults_are_those_of_the_library(self):
        native = texcast._native
        for kind, settings, others in ((texcast.Sender, native.StreamSenderSettings(), {"destinations"}),
                                       (texcast.Receiver, native.StreamReceiverSettings(), set()),
                                       (texcast.FileWriter, native.FileWriterSettings(), {"path"}),
                                       (texcast.Encoder, native.EncoderSettings(), set())):
            compared = 0
            for name, parameter in inspect.signature(kind.__init__).parameters.items():
                if name in others or not hasattr(type(settings), name):
                    continue
                if getattr(type(settings), name).fget is not None and parameter.default is not None:
                    compared += 1
                    with self.subTest(kind.__name__, name=name):
                        self.assertEqual(getattr(settings, name), parameter.default)
            self.assertGreater(compared, 1)

    def test_type_stubs_name_what_there_is(self):
        tree = ast.parse((FOLDER / "_native.pyi").read_text())
        native = texcast._native

        def names(body):
            found = set()
            for node in body:
                if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                    found.add(node.name)
                elif isinstance(node, ast.AnnAssign):
                    found.add(node.target.id)
            return {name for name in found if not name.startswith("__")}

        def public_names(thing):
            return {name for name in vars(thing) if not name.startswith("_")}

        self.assertEqual(names(tree.body), public_names(native))
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                with self.subTest(node.name):
                    self.assertEqual(names(node.body), public_names(getattr(native, node.name)))

    def test_names_are_those_of_the_package(self):
        self.assertTrue(all(getattr(texcast, name).__module__ == "texcast" for name in texcast.__all__))
        self.assertRegex(texcast.__version__, r"^\d+\.\d+\.\d+$")
        for name in texcast.__all__:
            kind = getattr(texcast, name)
            if inspect.isclass(kind) and issubclass(kind, Exception):
                self.assertTrue(issubclass(kind, texcast.Error))

    def test_the_page_of_documents_names_everything(self):
        page = FOLDER.parents[0] / "docs" / "python.md"
        page = next((p for p in (page, Path(__file__).resolve().parents[2] / "docs" / "python.md") if p.exists()))
        text = page.read_text()
        for name in texcast.__all__:
            with self.subTest(name):
                self.assertTrue(re.search(rf"\b{name}\b", text))
        for name in inspect.signature(texcast.Sender.__init__).parameters:
            if name != "self":
                self.assertIn(f"`{name}`", text)


if __name__ == "__main__":
    main()
