package webhook

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// TestMemoryOfBodiesIsGivenBack reads bodies one after the other with memory for one. Whatever happens
// to a body, the next one gets its memory.
func TestMemoryOfBodiesIsGivenBack(t *testing.T) {
	t.Parallel()
	const small, large = ordinary / 2, 2*ordinary + 7
	r := newBodyMemory(8 * ordinary) // two ordinary ones, or one large one that grew
	for name, tc := range map[string]struct {
		size, declared, most int64
		broken, refused      bool
	}{
		"small":                        {small, small, large, false, false},
		"small, of no declared length": {small, -1, large, false, false},
		"large":                        {large, large, large, false, false},
		"large, of no declared length": {large, -1, large, false, false},
		"too large":                    {large, -1, large - 1, false, true},
		"broken off":                   {large, large, large, true, true},
	} {
		for range 20 {
			b := &body{bodyMemory: r, kept: true, declared: tc.declared, most: tc.most}
			content := strings.Repeat("x", int(tc.size))
			from := io.Reader(strings.NewReader(content))
			if tc.broken {
				from = io.MultiReader(from, iotest.ErrReader(io.ErrUnexpectedEOF))
			}
			var also bytes.Buffer
			err := b.read(from, &also)
			if (err != nil) != tc.refused {
				t.Fatalf("%s: %v", name, err)
			}
			if !tc.refused && (string(b.data) != content || also.String() != content) {
				t.Fatalf("%s: %d bytes were kept and %d handed on, of %d", name, len(b.data), also.Len(), tc.size)
			}
			b.leave()
		}
	}
	if !r.small.TryAcquire(2*ordinary) || !r.large.TryAcquire(6*ordinary) {
		t.Error("memory is still taken when all bodies have left")
	}
}
