package store

// CodeIndex is the state of the index of a branch.
type CodeIndex struct {
	Record
	Branch         string
	State          string // a [domain.IndexState]
	CommitSHA      string // the commit that searches see; "" before the first build
	Mode           string // lexical or hybrid
	Files          int64
	Chunks         int64
	FilesDone      int64 // while building
	VectorModel    string
	VectorSize     int64
	Reason         string // the cause of a failure, or why there is no index
	BuiltUS        int64  // 0 before the first build
	Generation     int64  // of the rows that answer searches; 0 before the first build
	NextGeneration int64  // of the rows that are being built beside them; 0 without a rebuild
	Bytes          int64
	LeftOut        string // JSON array of [domain.LeftOut]
	CheckedUS      int64  // when the head of the branch was read last; 0 if never
}

func (v *CodeIndex) table() (string, string, []string, []any) {
	return "code_indexes", "idx", []string{"branch", "state", "commit_sha", "mode", "files", "chunks", "files_done", "vector_model",
			"vector_size", "reason", "built_us", "generation", "next_generation", "bytes", "left_out", "checked_us"},
		[]any{&v.Branch, &v.State, &v.CommitSHA, &v.Mode, &v.Files, &v.Chunks, &v.FilesDone, &v.VectorModel, &v.VectorSize, &v.Reason,
			number(&v.BuiltUS), &v.Generation, &v.NextGeneration, &v.Bytes, &v.LeftOut, &v.CheckedUS}
}
