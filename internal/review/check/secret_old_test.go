package check

import (
	"strings"
	"testing"
)

// A finding says that the base has the value already. It counts as before.
func TestOldSecretIsNamedOld(t *testing.T) {
	t.Parallel()
	line := "key = " + awsKey() + "\n"
	for name, tt := range map[string]struct {
		before, after string
		isOld         bool
	}{
		"a new value":         {"a\n", "a\n" + line, false},
		"again in the file":   {line + "a\n", line + "a\nother " + line, true},
		"on a changed line":   {line, "x" + line, true},
		"another value of it": {"key = " + strings.Replace(awsKey(), "Q3", "Z3", 1) + "\n", line, false},
		"in a new file":       {"", line, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := run(t, "a.txt", tt.before, tt.after).Findings
			if len(found) != 1 || !found[0].Secret() || strings.Contains(found[0].Explanation, "the base has the same value") != tt.isOld {
				t.Errorf("%+v", found)
			}
		})
	}
}
