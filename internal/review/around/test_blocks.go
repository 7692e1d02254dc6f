package around

import (
	"cmp"
	"slices"

	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/structure"
)

// Bounds of the choice of tests.
const (
	minTestWords  = 2   // words of the hunks that a test must have
	minLetters    = 4   // letters of a word that counts
	maxUnitTests  = 2   // tests of a file
	maxTestBlocks = 500 // tests of a file that are calls with a block
)

// testCall matches the first line of a test that is a call with a block, as in it("adds", () => {, RSpec's it 'adds' do, and
// test.each(rows)("adds %i", (n) => {.
var testCall = regexp.MustCompile(`^\s*(?:await\s+|return\s+)?[xf]?(?:[Ii]t|test|Specify|specify|scenario|example|Deno\.test)(?:\.\w+)*` +
	`(?:\s*[({\["'` + "`" + `]|\s+do\b|\s*$)`)

// testBlocks returns the tests of a file that are calls with a block, in their order.
func (f *shownFile) testBlocks() (out []structure.Symbol) {
	for i, l := range f.lines {
		if len(out) < maxTestBlocks && len(l) <= change.MaxSearchedLine && testCall.MatchString(l) {
			out = append(out, structure.Symbol{Start: i + 1, End: f.outline.End(i + 1)})
		}
	}
	return out
}

// bestTests returns the tests of a file with the most words, best first: the blocks of calls if the file has such tests, else
// its functions.
func bestTests(at string, blob []byte, words map[string]bool) (out []structure.Piece) {
	file, count := readFile(at, blob), map[structure.Symbol]map[string]bool{}
	blocks, next := file.testBlocks(), 0
	var open, tests []structure.Symbol // blocks around the line
	for i, l := range file.lines {
		open = slices.DeleteFunc(open, func(s structure.Symbol) bool { return s.End < i+1 })
		for ; next < len(blocks) && blocks[next].Start <= i+1; next++ {
			open = append(open, blocks[next])
		}
		for _, w := range change.Words(l) {
			if !words[w] || len(w) < minLetters {
				continue
			}
			s, ok := file.outline.Enclosing(i + 1)
			if len(blocks) > 0 {
				if ok = len(open) > 0; ok {
					s = open[len(open)-1]
				}
			}
			if !ok {
				continue
			}
			if count[s] == nil {
				count[s] = map[string]bool{}
				tests = append(tests, s)
			}
			count[s][w] = true
		}
	}
	slices.SortStableFunc(tests, func(a, b structure.Symbol) int { return cmp.Compare(len(count[b]), len(count[a])) })
	for _, s := range tests[:min(len(tests), maxUnitTests)] {
		if len(count[s]) >= minTestWords {
			out = append(out, file.from(at, s))
		}
	}
	return out
}
