package featuretest

import (
	"context"
	"sync"

	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/sarif"
)

// scanner is the scanner of the process, which is made when a test first needs it.
var scanner = sync.OnceValue(func() *check.Scanner {
	s, err := check.NewScanner()
	if err != nil {
		panic(err) // the rules are part of the program
	}
	return s
})

// UploadScan returns a search that replaces the secrets of uploads by [redacted], with the rules of the product.
func UploadScan() sarif.Scan {
	return sarif.Scan{MayHold: func(text string) bool { return scanner().MayHold(text) }, Clean: func(ctx context.Context, text string) string {
		found, err := scanner().ScanText(ctx, text)
		if err != nil && ctx.Err() == nil {
			panic(err) // it has no other errors
		}
		for i := len(found) - 1; i >= 0; i-- {
			text = text[:found[i].Start] + "[redacted]" + text[found[i].End:]
		}
		return text
	}}
}
