# packaging/wheel/local.mk - make wheel: what pip installs, from the bundle: gbrun.py, libgbrun, the program. Its name
# says which C library it needs, so it is known once it is made. tests/python/test_wheel.sh checks it.
WHEEL = gbrun-$(VERSION)-py3-none-*_$(host_cpu).whl
PYTHON = python3

wheel-archive: $(BUNDLE)
	@rm -f $(WHEEL)
	$(AM_V_GEN)OBJDUMP='$(OBJDUMP)' $(PYTHON) $(srcdir)/packaging/wheel/make.py $(BUNDLE)
wheel: wheel-archive
	$(call bundle_checked,tests/python/test_wheel.sh,$(WHEEL))

EXTRA_DIST += packaging/wheel/make.py packaging/wheel/gbrun_bundle.py
CLEANFILES += $(WHEEL)
