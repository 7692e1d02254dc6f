package around

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/structure"
)

// minReceiver is the fewest letters of a variable that names its type, as decoder does for JSONDecoder.
const minReceiver = 3

// maxOverloads is the most definitions of one name and one type that are shown.
const maxOverloads = 2

// outlining is a source that keeps what it has read of files, within bounds.
type outlining interface {
	Outline(ctx context.Context, side domain.Side, path, language string) (*structure.Outline, error)
}

// outlineOf reads a file of the head. It returns an empty outline for a file that cannot be read.
func outlineOf(ctx context.Context, src change.Source, path, language string) *structure.Outline {
	if kept, is := src.(outlining); is {
		if o, err := kept.Outline(ctx, domain.Right, path, language); err == nil {
			return o
		}
		return structure.Read(language, nil)
	}
	blob, err := src.Blob(ctx, domain.Right, path)
	if err != nil {
		blob = nil
	}
	return structure.Read(language, blob)
}

// In returns the definitions of names in a file of the head that a target may use: methods of different types with one name only
// if the target decides the type. A file is read once if src keeps it.
func (e Definitions) In(ctx context.Context, t *change.Target, src change.Source, path string, names map[string]bool, room int,
) []structure.Piece {
	language := diff.Language(path)
	if path == t.File.Path {
		language = t.File.Language
	}
	outline := outlineOf(ctx, src, path, language)
	pieces := outline.Definitions(path, names, room)
	if len(pieces) == 0 {
		return nil
	}
	shownAs := map[int]string{} // the name by which structure calls the definition of a line
	for i, p := range pieces {
		shownAs[p.Start] = p.Symbol
		if s, ok := outline.Enclosing(p.Start); ok && s.Start == p.Start && language != "Go" {
			pieces[i].Symbol = s.Name
		}
	}
	count := map[string]int{} // owners of a name
	for i, p := range pieces {
		if !slices.ContainsFunc(pieces[:i], func(q structure.Piece) bool { return q.Symbol == p.Symbol }) {
			count[base(p)]++
		}
	}
	uses := sync.OnceValue(func() []Use { return append(e.Uses(t), e.Calls(t)...) })
	inside := sync.OnceValue(func() surroundings { return surroundingsOf(t, outlineOf(ctx, src, t.File.Path, t.File.Language)) })
	shown := map[string]int{}
	pieces = slices.DeleteFunc(pieces, func(p structure.Piece) bool {
		shown[p.Symbol]++
		ambiguous := count[base(p)] > 1 && owner(p) != ""
		return shown[p.Symbol] > maxOverloads || ambiguous && !decides(e.types[t.File.Path+":"+base(p)], uses, inside, p)
	})
	for i, p := range pieces {
		pieces[i].Symbol = shownAs[p.Start]
	}
	return pieces
}

func base(p structure.Piece) string { return (structure.Symbol{Name: p.Symbol}).Base() }

// owner returns the innermost type or function around a piece's definition, or "".
func owner(p structure.Piece) string {
	return (structure.Symbol{Name: (structure.Symbol{Name: p.Symbol}).Owner()}).Base()
}

// decides reports whether uses of a name mean that of the piece's type: one of types is known before the dot, the variable
// or the file before the dot is named like the type, or the use has no other name before its dot and stands inside the
// type.
func decides(types map[string]bool, uses func() []Use, inside func() surroundings, p structure.Piece) bool {
	if len(types) > 0 {
		return types[owner(p)]
	}
	for _, u := range uses() {
		if u.Name != base(p) {
			continue
		}
		receiver := strings.ToLower(strings.Trim(u.Qualifier, "_"))
		switch {
		case receiver == "" && inside().owners[owner(p)], receivers[receiver] && inside().types[owner(p)]:
			return true
		case receiver == "" || receivers[receiver]:
		case len(receiver) >= minReceiver && strings.HasSuffix(strings.ToLower(owner(p)), receiver):
			return true
		}
	}
	return false
}

// receivers are the words for the object itself.
var receivers = map[string]bool{"self": true, "this": true, "cls": true, "super": true, "static": true, "parent": true}

// surroundings are the names around the changed lines of a target: of types and functions, and of types alone.
type surroundings struct{ owners, types map[string]bool }

func surroundingsOf(t *change.Target, outline *structure.Outline) surroundings {
	out := surroundings{map[string]bool{}, map[string]bool{}}
	for _, h := range t.Hunks {
		at := change.FirstChanged(h)
		for _, typ := range outline.Types(at) {
			out.types[typ], out.owners[typ] = true, true
		}
		s, _ := outline.Enclosing(at)
		for name := s.Owner(); name != ""; name = (structure.Symbol{Name: name}).Owner() {
			out.owners[(structure.Symbol{Name: name}).Base()] = true
		}
	}
	return out
}
