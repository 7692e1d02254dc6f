package codehost

// ReadOnly hides all interfaces of a host except [Reader] from type assertions, for work that must not
// write.
func ReadOnly(r Reader) Reader { return readOnly{r} }

type readOnly struct{ Reader }
