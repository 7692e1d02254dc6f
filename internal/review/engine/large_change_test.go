package engine

import (
	"fmt"
	"strings"

	"github.com/assay-dev/assay/internal/review/enginetest"
)

// largeChange adds functions of seven lines to files.
func largeChange(n, lines int) ([]byte, enginetest.Files) {
	var diff strings.Builder
	source := enginetest.Files{}
	for i := range n {
		path := fmt.Sprintf("shop/part%d.go", i)
		var code strings.Builder
		code.WriteString("package shop\n\n")
		for k := range max(lines/7, 1) {
			fmt.Fprintf(&code, "// Share%[1]dx%[2]d divides a sum.\nfunc Share%[1]dx%[2]d(sum, n int) int {\n\tif sum < 0 {\n\t\treturn 0\n\t}\n\treturn sum / n // of part %[1]d\n}\n", i, k)
		}
		after := code.String()
		diff.WriteString(enginetest.Unified(path, "package shop\n\n", after))
		source["LEFT:"+path], source["RIGHT:"+path] = "package shop\n\n", after
	}
	return []byte(diff.String()), source
}

// dividedIn is a candidate in a file of largeChange.
func dividedIn(path string) candidate {
	c := division()
	c.Path, c.Start, c.End, c.Fix = path, 8, 8, nil
	c.Quote = "\treturn sum / n // of part " + strings.TrimSuffix(strings.TrimPrefix(path, "shop/part"), ".go")
	return c
}
