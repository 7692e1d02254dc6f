package around

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/change"
)

// Weights of the bonds between two files of a change.
const (
	bindsTest   = 6 // a test and the file that it tests
	bindsImport = 2 // one imports the folder or file of the other
	bindsName   = 3 // each shared name, up to maxShared
	bindsFolder = 1 // both are in one folder
	maxShared   = 3
)

// bond is the weight of the relation between two targets, which are given by their indexes.
type bond struct{ a, b, weight int }

// facts are the properties of a target that bind it to others.
type facts struct {
	*change.Target
	folder, stem string
	tests        string // the file that it tests, or its own name
	declares     map[string]bool
	uses         map[string]bool
	imports      map[string]bool
}

// Units groups the targets that one call should see together: files that refer to each other, strongest
// bond first, as far as they fit into limit tokens. Units, and the files of each unit, are in the order of
// the diff. The result depends on the change alone.
func Units(ctx context.Context, src change.Source, targets []*change.Target, limit int) [][]*change.Target {
	if len(targets) < 2 || change.Tokens(targets) <= limit { // one call sees all of them
		return [][]*change.Target{targets}
	}
	all := make([]facts, len(targets))
	for i, t := range targets {
		var blob []byte
		if t.File.Status != diff.Deleted {
			blob, _ = src.Blob(ctx, domain.Right, t.File.Path) // on an error, the hunks alone must suffice
		}
		all[i] = factsOf(t, blob)
	}
	return group(targets, bonds(all), limit)
}

// factsOf reads the facts of a target. blob is its new version, or nil if it is unknown.
func factsOf(t *change.Target, blob []byte) facts {
	out := facts{Target: t, folder: path.Dir(t.File.Path), stem: stemOf(t.File.Path), tests: testedBy(t.File),
		declares: map[string]bool{}, uses: change.UsedWords(t), imports: importedNames(blob)}
	for _, h := range t.Hunks {
		for _, name := range change.DeclaredNames(h) {
			out.declares[name] = true
		}
	}
	return out
}

// testedBy returns the name of the file that a test is about, or a file's own name, without folder and
// extension and in lower case.
func testedBy(f *diff.File) string {
	stem := stemOf(f.Path)
	if f.Class == diff.ClassTest {
		stem = testMark.ReplaceAllString(stem, "")
	}
	return strings.ToLower(stem)
}

// bonds returns the bonds between all pairs of targets, strongest first.
func bonds(all []facts) []bond {
	var out []bond
	for a := range all {
		for b := a + 1; b < len(all); b++ {
			if n := weigh(all[a], all[b]); n > 0 {
				out = append(out, bond{a, b, n})
			}
		}
	}
	slices.SortStableFunc(out, func(x, y bond) int { return cmp.Compare(y.weight, x.weight) })
	return out
}

// weigh returns the weight of the bond between two files.
func weigh(a, b facts) (n int) {
	if a.tests == b.tests && (a.File.Class == diff.ClassTest) != (b.File.Class == diff.ClassTest) && mayUse(a, b) {
		n += bindsTest
	}
	if mayUse(a, b) {
		n += bindsName * min(shared(a, b)+shared(b, a), maxShared)
		if a.importsFrom(b) || b.importsFrom(a) {
			n += bindsImport
		}
	}
	if a.folder == b.folder {
		n += bindsFolder
	}
	return n
}

// mayUse reports whether files may use each other's code.
func mayUse(a, b facts) bool {
	return sharesCode(a.File.Language, b.File.Language)
}

// shared counts the names that changed lines of a declare and changed lines of b use.
func shared(a, b facts) (n int) {
	for name := range a.declares {
		if b.uses[name] && !b.declares[name] {
			n++
		}
	}
	return n
}

// importsFrom reports whether a file imports the folder or the file of another one.
func (f facts) importsFrom(other facts) bool {
	if f.folder == other.folder {
		return f.imports[other.stem]
	}
	return f.imports[path.Base(other.folder)] || f.imports[other.stem]
}

// group joins targets along bonds, strongest first, if the result fits.
func group(targets []*change.Target, along []bond, limit int) [][]*change.Target {
	of := make([]int, len(targets)) // the unit of each target: the index of its first target
	tokens := make([]int, len(targets))
	for i, t := range targets {
		of[i], tokens[i] = i, change.TargetTokens(t)
	}
	for _, l := range along {
		a, b := of[l.a], of[l.b]
		if a == b || tokens[a]+tokens[b] > limit {
			continue
		}
		a, b = min(a, b), max(a, b)
		tokens[a] += tokens[b]
		for i := range of {
			if of[i] == b {
				of[i] = a
			}
		}
	}
	var out [][]*change.Target
	at := map[int]int{}
	for i, t := range targets {
		n, known := at[of[i]]
		if !known {
			n = len(out)
			at[of[i]] = n
			out = append(out, nil)
		}
		out[n] = append(out[n], t)
	}
	return out
}
