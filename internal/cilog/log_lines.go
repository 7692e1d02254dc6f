package cilog

import "strings"

// tell completes the open failure with a line that go test prints for t.Log as well as for t.Error and t.Fatal. t.Fatal is the last
// one, so a later line replaces an earlier one, unless only the earlier one compares values.
func (c *cutter) tell(m found) {
	sure := confidence(m)
	if c.open < 0 || sure < c.sure {
		return
	}
	if c.sure > 0 {
		f := &c.out.Failures[c.open]
		f.File, f.Line, f.Message = "", 0, ""
	}
	c.sure = sure
	c.fill(m)
}

// confidence returns how likely a message describes a failure: 2 if it compares values, 1 otherwise.
func confidence(m found) int {
	for _, word := range []string{"want", "xpected", "!="} {
		if strings.Contains(m["msg"], word) {
			return 2
		}
	}
	return 1
}
