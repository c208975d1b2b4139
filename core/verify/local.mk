core_libmeasuring_la_SOURCES += \
	core/verify/check_dump.c \
	core/verify/check_dump.h \
	core/verify/verify.c \
	core/verify/verify.h \
	core/verify/verify_details.c \
	core/verify/verify_bound.c \
	core/verify/verify_pass.c \
	core/verify/verify_pass.h \
	core/verify/verify_pass_avx2.c \
	core/verify/verify_pass_avx512.c \
	core/verify/verify_pass_body.h \
	core/verify/verify_pass_portable.c \
	core/verify/verify_text.c
