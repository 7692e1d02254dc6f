package main

import (
	"strings"

	"github.com/assay-dev/assay/internal/config"
)

// otherPrefixes are the prefixes of variables that are not settings: they belong to the flags of one command,
// or to tests.
var otherPrefixes = [...]string{"ASSAY_REVIEW_", "ASSAY_SETUP_", "ASSAY_SIM_", "ASSAY_TEST_"}

// unknownVars returns the variables that look like settings but are not.
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
