package review

import (
	"testing"

	"github.com/assay-dev/assay/internal/domain"
)

// A suggestion counts as applied if its lines are in the file at the head, whatever else changed there.
func TestHasSuggestion(t *testing.T) {
	t.Parallel()
	const before = "a\nb\nc\nd\ne\n"
	replace := domain.Suggestion{Start: 2, End: 3, Old: "b\nc", New: "x\ny"}
	remove := domain.Suggestion{Start: 3, End: 3, Old: "c"}
	for name, tt := range map[string]struct {
		g     domain.Suggestion
		after string
		want  bool
	}{
		"exactly":                        {replace, "a\nx\ny\nd\ne\n", true},
		"with other edits in the file":   {replace, "0\na\nx\ny\nd\nE\n", true},
		"with lines directly after it":   {replace, "a\nx\ny\nmore\nd\ne\n", true},
		"with the line breaks of DOS":    {replace, "a\r\nx\r\ny\r\nd\r\ne\r\n", true},
		"not at all":                     {replace, before, false},
		"only in part":                   {replace, "a\nx\nc\nd\ne\n", false},
		"with another line within":       {replace, "a\nx\nz\ny\nd\ne\n", false},
		"in other words":                 {replace, "a\nX\nY\nd\ne\n", false},
		"deleted":                        {remove, "a\nb\nd\ne\n", true},
		"deleted and replaced":           {remove, "a\nb\nC\nd\ne\n", false},
		"of other lines":                 {domain.Suggestion{Start: 2, End: 2, Old: "q", New: "x"}, "a\nx\nc\nd\ne\n", false},
		"beyond the file":                {domain.Suggestion{Start: 9, End: 9, Old: "b", New: "x"}, "a\nx\nc\nd\ne\n", false},
		"without a place":                {domain.Suggestion{Old: "b", New: "x"}, "a\nx\nc\nd\ne\n", false},
		"that changes nothing":           {domain.Suggestion{Start: 2, End: 2, Old: "b", New: "b"}, before, false},
		"in a file that was emptied":     {replace, "", false},
		"in a file without a last break": {domain.Suggestion{Start: 5, End: 5, Old: "e", New: "x"}, "a\nb\nc\nd\nx", false},
	} {
		if got := hasSuggestion([]byte(before), []byte(tt.after), tt.g); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}
