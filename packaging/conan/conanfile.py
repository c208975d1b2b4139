"""conanfile.py - gbrun for Conan 2, in the folder of an unpacked release: conan create packaging/conan"""
import pathlib

from conan import ConanFile
from conan.tools.files import copy
from conan.tools.gnu import Autotools, AutotoolsToolchain, PkgConfigDeps
from conan.tools.layout import basic_layout


class Gbrun(ConanFile):
    name = "gbrun"
    version = "0.1.0"
    description = "Benchmarks of CPU and GPU code with valid intervals"
    package_type = "shared-library"
    settings = "os", "arch", "compiler", "build_type"
    requires = "inih/[>=53]", "libffi/[>=3.3]", "sqlite3/[>=3.34]"
    tool_requires = "pkgconf/[>=2]"

    def layout(self):
        basic_layout(self)

    def export_sources(self):
        copy(self, "*", str(pathlib.Path(self.recipe_folder, "../..").resolve()), self.export_sources_folder)

    def generate(self):
        tools = AutotoolsToolchain(self)
        tools.configure_args.append("--without-cuda")
        tools.generate()
        PkgConfigDeps(self).generate()

    def build(self):
        tools = Autotools(self)
        tools.configure()
        tools.make()

    def package(self):
        Autotools(self).install()

    def package_info(self):
        self.cpp_info.set_property("pkg_config_name", "libgbrun")
        self.cpp_info.set_property("cmake_file_name", "libgbrun")
        self.cpp_info.set_property("cmake_target_name", "gbrun::libgbrun")
        self.cpp_info.libs = ["gbrun"]
