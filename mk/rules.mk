# SPDX-License-Identifier: BSD-2-Clause
# The few shapes that everything is built from. A module.mk calls them and does nothing else.
#
#   $(call c_library,NAME,SOURCES)                  $(BUILD)/NAME.a
#   $(call c_program,OUTPUT,SOURCES,ARCHIVES,LDLIBS)   $(BUILD)/OUTPUT; added to ALL
#   $(call c_test,KIND,NAME,SOURCES,ARCHIVES,LDLIBS)   $(BUILD)/tests/KIND/NAME; added to TESTS_KIND
#   $(call bpf_object,SOURCE)                       $(BUILD)/….bpf.o and $(BUILD)/….skel.h
#
# Sources are .c or .cc. CFLAGS_<object path> adds flags for one object.

ALL  :=
DEPS :=

objs = $(patsubst %,$(BUILD)/%.o,$(basename $(1)))

define c_library_
LIB_$(1) := $$(BUILD)/$(1).a
DEPS += $$(patsubst %.o,%.d,$$(call objs,$(2)))
$$(BUILD)/$(1).a: $$(call objs,$(2))
	$$(call say,AR,$$@)
	$$(Q)mkdir -p $$(@D) && rm -f $$@ && $$(AR) rcs $$@ $$^
endef
c_library = $(eval $(call c_library_,$(1),$(2)))

define c_link_
DEPS += $$(patsubst %.o,%.d,$$(call objs,$(2)))
$$(BUILD)/$(1): $$(call objs,$(2)) $$(patsubst %,$$(BUILD)/%.a,$(3))
	$$(call say,LINK,$$@)
	$$(Q)mkdir -p $$(@D) && $$(CC) $$(LDFLAGS_ALL) $$(LDFLAGS_$(1)) -o $$@ $$^ $(4)
endef
define c_program_
$(call c_link_,$(1),$(2),$(3),$(4))
ALL += $$(BUILD)/$(1)
endef
c_program = $(eval $(call c_program_,$(1),$(2),$(3),$(4)))

define c_test_
$(call c_link_,tests/$(1)/$(2),$(3),$(4),$(5))
TESTS_$(1) += $$(BUILD)/tests/$(1)/$(2)
endef
c_test = $(eval $(call c_test_,$(1),$(2),$(3),$(4),$(5)))

define bpf_object_
DEPS += $$(BUILD)/$(basename $(1)).d
$$(BUILD)/$(basename $(1)).o: $(1)
	$$(call say,BPF,$$@)
	$$(Q)mkdir -p $$(@D) && $$(BPF_CC) $$(BPF_CFLAGS) -MMD -MP -c $$< -o $$@
$$(BUILD)/$(basename $(basename $(1))).skel.h: $$(BUILD)/$(basename $(1)).o
	$$(call say,SKEL,$$@)
	$$(Q)$$(BPFTOOL) gen skeleton $$< name $$(subst -,_,$$(notdir $$(basename $$(basename $(1))))) > $$@
endef
bpf_object = $(eval $(call bpf_object_,$(1)))

$(BUILD)/%.o: %.c
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(CFLAGS_ALL) $(CFLAGS_$*) -MMD -MP -c $< -o $@

$(BUILD)/%.o: %.cc
	$(call say,CXX,$@)
	$(Q)mkdir -p $(@D) && $(CXX) $(CXXFLAGS_ALL) -MMD -MP -c $< -o $@
