package sarif

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/assay-dev/assay/internal/testkit"
)

// The decoder reads white space again for each part that it gets, so that small parts would cost the square of their number.
func TestTheDecoderGetsFullParts(t *testing.T) {
	t.Parallel()
	text := strings.Repeat(" ", 1000)
	g := &guard{ctx: t.Context(), from: iotest.OneByteReader(strings.NewReader(text)), bytes: 2000, depth: 1}
	part := make([]byte, 600)
	for _, want := range []int{600, 400, 0} {
		n, err := g.Read(part)
		testkit.Equal(t, "bytes", n, want)
		if want == 0 {
			testkit.Equal(t, "the end", err, io.EOF)
		}
	}
	g = &guard{ctx: t.Context(), from: iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader(text))), bytes: 2000, depth: 1}
	n, err := g.Read(part)
	if n == 1 && err == nil {
		_, err = g.Read(part)
	}
	testkit.Equal(t, "the error of the source", err, iotest.ErrTimeout)
}
