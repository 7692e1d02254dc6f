package domain

// LeftOut counts files that were left out for one reason.
type LeftOut struct {
	Reason string   `json:"reason" enum:"generated,vendored,lock,minified,binary,data,submodule,symlink,too-large,path,limit"`
	Count  int      `json:"count"`
	Paths  []string `json:"paths" doc:"Some of them, at most 5"`
}
