package codehost

// ReadOnly hides everything of a host that is not reading, so that no type assertion
// finds its other interfaces: for work that must not write.
func ReadOnly(r Reader) Reader { return readOnly{r} }

type readOnly struct{ Reader }
