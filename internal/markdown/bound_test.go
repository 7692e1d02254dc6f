package markdown

import (
	"runtime"
	"strings"
	"testing"
)

// pieces are openings whose end Markdown searches for.
var pieces = []string{"`", "``", "`a`", "\\", "\"", "(", ")", "[", "](", "![", "<", "<!--", "\n", "\n```\n", "~~~\n", "\n- ", " ", "@", "#1", "*", "&", "http://", "a", ":"}

// The work is proportional to the text, whatever it contains: twice the text takes about twice the
// allocations.
func TestWorkGrowsWithTheText(t *testing.T) {
	for _, a := range pieces {
		for _, b := range pieces {
			count := func(n int) float64 {
				s := strings.Repeat(a+b, n)
				return testing.AllocsPerRun(1, func() {
					Prose(s, 0)
					Line(s, 0)
				})
			}
			if half, whole := count(100), count(200); whole > 3*half+100 {
				t.Errorf("%q: %.0f allocations, %.0f for twice the text", a+b, half, whole)
			}
		}
	}
}

// Cutting a text, or searching it for secrets, does not copy it for each of its lines.
func TestLinesAreNotCopiedAgain(t *testing.T) {
	text := Text{strings.Repeat("x\n", 20_000)}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	text.Cut(text.Len()/2, Const(cutNote))
	text.Scan(func(s string) string { return s + "!" })
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 8<<20 {
		t.Errorf("%d KiB were allocated for %d", took>>10, text.Len()>>10)
	}
}
