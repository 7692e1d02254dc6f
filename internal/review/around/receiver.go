package around

import (
	"context"
	"path"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/structure"
)

// maxFields is the most types of a review whose fields are looked up.
const maxFields = 30

// method matches the type and the name of a Go method in its first line.
var method = regexp.MustCompile(`^func \((?:\w+ )?\*?(\w+)(?:\[[^)]*\])?\) (\w+)`)

// methodOf returns the type and the name of the Go method that a line defines, or "".
func methodOf(line string) (owner, name string) {
	if m := method.FindStringSubmatch(line); m != nil {
		return m[1], m[2]
	}
	return "", ""
}

// field is a field before the dot of a name that a target uses. Another file declares the field's type.
type field struct {
	target, name string
	owner, field string
}

// typesOf records the types before the dots in the hunks of Go files, in both versions. It returns
// the fields whose types other files declare.
func (e *Definitions) typesOf(ctx context.Context, src change.Source, targets []*change.Target) (fields []field) {
	e.types = map[string]map[string]bool{}
	for _, t := range targets {
		if t.File.Language != "Go" {
			continue
		}
		names := e.Words(t)
		for _, u := range e.Calls(t) {
			names[u.Name] = true
		}
		for _, v := range versions(t.File) {
			blob, err := src.Blob(ctx, v.side, v.path)
			if err != nil {
				continue
			}
			lines := linesOn(t.Hunks, v.side)
			_, uses := structure.GoUses(blob, names)
			for _, u := range uses {
				switch {
				case !lines[u.Line] || u.Type == "":
				case len(u.Fields) == 0:
					e.NoteType(t.File.Path, u.Name, u.Type)
				case len(u.Fields) == 1 && v.side == domain.Right:
					fields = append(fields, field{t.File.Path, u.Name, u.Type, u.Fields[0]})
				}
			}
		}
	}
	return fields
}

// linesOn returns the numbers of the lines of hunks on one side.
func linesOn(hunks []*diff.Hunk, side domain.Side) map[int]bool {
	out := map[int]bool{}
	for _, h := range hunks {
		for _, l := range h.Lines {
			n := l.New
			if side == domain.Left {
				n = l.Old
			}
			out[n] = true
		}
	}
	return out
}

// NoteType records a type before the dot of a name that the file at path target uses.
func (e *Definitions) NoteType(target, name, typ string) {
	key := target + ":" + name
	if e.types[key] == nil {
		e.types[key] = map[string]bool{}
	}
	e.types[key][typ] = true
}

// resolve reads the fields in files of the targets' folders.
func (e *Definitions) resolve(ctx context.Context, src change.Source, fields []field) {
	read := 0
	for _, f := range fields {
		for _, p := range e.Found[f.owner] {
			if path.Dir(p) != path.Dir(f.target) || e.Files[p].Language != "Go" || read >= maxElse {
				continue
			}
			read++
			if blob, err := src.Blob(ctx, domain.Right, p); err == nil {
				if typ := structure.GoField(blob, f.owner, f.field); typ != "" {
					e.NoteType(f.target, f.name, typ)
				}
			}
		}
	}
}
