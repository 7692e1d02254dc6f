package engine

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"weak"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
)

// watched is a source that counts the files that are still in memory when the next one is read.
type watched struct {
	given []weak.Pointer[byte]
	most  int
}

func (w *watched) Blob(context.Context, domain.Side, string) ([]byte, error) {
	runtime.GC()
	held := 0
	for _, p := range w.given {
		if p.Value() != nil {
			held++
		}
	}
	w.most = max(w.most, held)
	b := []byte(strings.Repeat("def f():\n    return 1\n", 1000))
	w.given = append(w.given, weak.Make(&b[0]))
	return b, nil
}

// Hunks are identified file by file, so a large change is not held in memory as a whole.
func TestIdentifyHoldsOneFile(t *testing.T) {
	t.Parallel()
	var patches []diff.Patch
	for i := range 20 {
		patches = append(patches, diff.Patch{Path: fmt.Sprintf("f%d.py", i), Text: "@@ -2,1 +2,1 @@\n-    return 0\n+    return 1\n"})
	}
	set, err := diff.FromPatches(patches)
	if err != nil {
		t.Fatal(err)
	}
	src := &watched{}
	if err := identify(t.Context(), set, src); err != nil {
		t.Fatal(err)
	}
	if len(src.given) != 20 || src.most > 2 {
		t.Errorf("%d files, %d of them in memory at the same time", len(src.given), src.most)
	}
}
