package engine

import (
	"context"
	"path"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/structure"
)

// maxFields bounds the types of which a review looks for the fields.
const maxFields = 30

// method finds the type and the name of a method in its first line.
var method = regexp.MustCompile(`^func \((?:\w+ )?\*?(\w+)(?:\[[^)]*\])?\) (\w+)`)

// methodOf is the type and the name of a method of Go that a line defines.
func methodOf(line string) (owner, name string) {
	if m := method.FindStringSubmatch(line); m != nil {
		return m[1], m[2]
	}
	return "", ""
}

// field is a field of a type that another file declares: what it holds is the type
// before the dot of a name that a target uses.
type field struct {
	target, name string
	owner, field string
}

// typesOf notes what Go files of the targets say of the types before the dots of
// their changed lines, in both versions, and returns what other files must say.
func (e *elsewhere) typesOf(ctx context.Context, src change.Source, targets []*change.Target) (fields []field) {
	e.types = map[string]map[string]bool{}
	for _, t := range targets {
		if t.File.Language != "Go" {
			continue
		}
		names := change.UsedWords(t)
		for _, v := range versions(t.File) {
			blob, err := src.Blob(ctx, v.side, v.path)
			if err != nil {
				continue
			}
			lines := changedOn(t.Hunks, v.side)
			_, uses := structure.GoUses(blob, names)
			for _, u := range uses {
				switch {
				case !lines[u.Line] || u.Type == "":
				case len(u.Fields) == 0:
					e.note(t.File.Path, u.Name, u.Type)
				case len(u.Fields) == 1 && v.side == domain.Right:
					fields = append(fields, field{t.File.Path, u.Name, u.Type, u.Fields[0]})
				}
			}
		}
	}
	return fields
}

// note notes a type before the dot of a name.
func (e *elsewhere) note(target, name, typ string) {
	key := target + ":" + name
	if e.types[key] == nil {
		e.types[key] = map[string]bool{}
	}
	e.types[key][typ] = true
}

// resolve reads fields in files of the targets' folders that declare their types.
func (e *elsewhere) resolve(ctx context.Context, src change.Source, fields []field) {
	read := 0
	for _, f := range fields {
		for _, p := range e.found[f.owner] {
			if path.Dir(p) != path.Dir(f.target) || e.files[p].language != "Go" || read >= maxElse {
				continue
			}
			read++
			if blob, err := src.Blob(ctx, domain.Right, p); err == nil {
				if typ := structure.GoField(blob, f.owner, f.field); typ != "" {
					e.note(f.target, f.name, typ)
				}
			}
		}
	}
}
