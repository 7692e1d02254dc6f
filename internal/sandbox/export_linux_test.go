package sandbox

import "slices"

// WithoutNamespaces returns a launcher that runs programs as on a kernel that refuses namespaces.
func WithoutNamespaces(l *Launcher) *Launcher {
	out := *l
	out.ways = slices.DeleteFunc(confinements(), func(c confinement) bool { return c.namespaces })
	return &out
}

// WithNamespaces returns a launcher that runs programs in namespaces only.
func WithNamespaces(l *Launcher) *Launcher {
	out := *l
	out.ways = slices.DeleteFunc(confinements(), func(c confinement) bool { return !c.namespaces })
	return &out
}

// WithoutSandbox returns a launcher that runs programs as on a kernel that offers no sandbox.
func WithoutSandbox(l *Launcher) *Launcher {
	out := *l
	out.ways = []confinement{}
	return &out
}
