package around

import (
	"slices"
	"strings"
	"sync"

	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/structure"
)

// minReceiver is the fewest letters of a variable that names its type, as decoder does for JSONDecoder.
const minReceiver = 3

// maxOverloads is the most definitions of one name and one type that are shown.
const maxOverloads = 2

// In returns the definitions of names in a file that a target may use: none in comments and strings, and methods of
// different types with one name only if the target decides the type. content is the file at the head, own the target's.
func (e Definitions) In(t *change.Target, own []byte, path, language string, content []byte,
	names map[string]bool, room int,
) []structure.Piece {
	pieces := structure.Definitions(path, language, content, names, room)
	if len(pieces) == 0 {
		return nil
	}
	version, outline := codeOf(language, string(content)), structure.Read(language, content)
	pieces = slices.DeleteFunc(pieces, func(p structure.Piece) bool {
		return language != "Go" && len(version.bare) >= p.Start && !strings.Contains(version.bare[p.Start-1], base(p))
	})
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
	inside := sync.OnceValue(func() map[string]bool { return ownersAround(t, own) })
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
func decides(types map[string]bool, uses func() []Use, inside func() map[string]bool, p structure.Piece) bool {
	if len(types) > 0 {
		return types[owner(p)]
	}
	for _, u := range uses() {
		if u.Name != base(p) {
			continue
		}
		receiver := strings.ToLower(strings.Trim(u.Qualifier, "_"))
		switch {
		case receiver == "" || receivers[receiver]:
			if inside()[owner(p)] {
				return true
			}
		case len(receiver) >= minReceiver && strings.HasSuffix(strings.ToLower(owner(p)), receiver):
			return true
		}
	}
	return false
}

// receivers are the words for the object itself.
var receivers = map[string]bool{"self": true, "this": true, "cls": true, "super": true, "static": true, "parent": true}

// ownersAround returns the types around the changed lines of a target.
func ownersAround(t *change.Target, own []byte) map[string]bool {
	out := map[string]bool{}
	outline := structure.Read(t.File.Language, own)
	for _, h := range t.Hunks {
		if s, ok := outline.Enclosing(change.FirstChanged(h)); ok {
			for name := s.Owner(); name != ""; name = (structure.Symbol{Name: name}).Owner() {
				out[(structure.Symbol{Name: name}).Base()] = true
			}
		}
	}
	return out
}
