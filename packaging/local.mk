# packaging/local.mk - jobs of CI, which are installed, and what distributions build packages from.
cidir = $(pkgdatadir)/ci
dist_ci_DATA = \
	packaging/ci/action.yml \
	packaging/ci/gbrun-ci.sh \
	packaging/ci/gitlab.yml
EXTRA_DIST += \
	packaging/conan/conanfile.py \
	packaging/conda/recipe.yaml \
	packaging/debian

# Debian packages, in build-deb/, from the sources that make dist packs.
DEB_SOURCE = build-deb/gbrun-$(VERSION)
deb: dist-gzip
	rm -rf build-deb && $(MKDIR_P) build-deb
	cp $(PACKAGE)-$(VERSION).tar.gz build-deb/gbrun_$(VERSION).orig.tar.gz
	tar -C build-deb -xzf $(PACKAGE)-$(VERSION).tar.gz
	cp -r $(srcdir)/packaging/debian $(DEB_SOURCE)/debian
	cd $(DEB_SOURCE) && dpkg-buildpackage -us -uc $(DEB_FLAGS)
	if command -v lintian >/dev/null; then lintian --fail-on error build-deb/*.changes; fi
	ls -l build-deb/*.deb
