package main

import (
	"strings"

	"github.com/assay-dev/assay/internal/config"
)

// otherPrefixes are variables of this program that are flags of one command, or
// of its tests, and no settings.
var otherPrefixes = [...]string{"ASSAY_REVIEW_", "ASSAY_SETUP_", "ASSAY_SIM_", "ASSAY_TEST_"}

// unknownVars lists variables that look like settings and are none.
func unknownVars(c config.Config) (out []string) {
next:
	for _, name := range c.Unknown() {
		for _, p := range otherPrefixes {
			if strings.HasPrefix(name, p) {
				continue next
			}
		}
		out = append(out, name)
	}
	return out
}
