package diff

// index finds the files of a set by path.
type index struct {
	order   map[string]int   // new path to the position of its first file
	file    map[string]*File // new path to the file at that path
	renamed map[string]*File // old path of a rename
	base    map[string]*File // path at the merge base
}

func (s *Set) index() *index {
	s.once.Do(func() {
		x := index{map[string]int{}, map[string]*File{}, map[string]*File{}, map[string]*File{}}
		for i, f := range s.Files {
			if _, seen := x.order[f.Path]; !seen {
				x.order[f.Path] = i
			}
			if at := x.file[f.Path]; at == nil || at.Status == Deleted {
				x.file[f.Path] = f
			}
			if f.Status == Renamed && x.renamed[f.OldPath] == nil {
				x.renamed[f.OldPath] = f
			}
			if f.Status != Copied && x.base[f.BasePath()] == nil {
				x.base[f.BasePath()] = f
			}
		}
		s.places = x
	})
	return &s.places
}

// File finds a file by its new path, or else by the old path of a rename. It returns nil if the diff has no
// such file. If a path was deleted and added again (a change of type), it returns the added file.
func (s *Set) File(path string) *File {
	x := s.index()
	if f := x.file[path]; f != nil {
		return f
	}
	return x.renamed[path]
}

// Order returns the position of a new path among the files, from 0, or the number of files if the path is
// not in the diff.
func (s *Set) Order(path string) int {
	if i, ok := s.index().order[path]; ok {
		return i
	}
	return len(s.Files)
}
