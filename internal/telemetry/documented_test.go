package telemetry

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The page of metrics has a line for each metric of assay with its labels and its help, and no other
// lines.
func TestEveryMetricIsDocumented(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(raw)
	m := NewMetrics(Build{})
	var listed []string
	for _, line := range regexp.MustCompile("(?m)^\\| `(assay_\\w+)` .*$").FindAllStringSubmatch(page, -1) {
		listed = append(listed, line[1])
		if help := m.help[line[1]]; help == "" || !strings.HasSuffix(line[0], "| "+help+" |") {
			t.Errorf("the line of %s differs from its help: %q", line[1], help)
		}
	}
	if names := m.Names(); !slices.Equal(listed, names) {
		t.Errorf("the page lists %v\nregistered are %v", listed, names)
	}
	for _, name := range regexp.MustCompile("assay_[a-z_]+").FindAllString(page, -1) {
		if !slices.Contains(listed, name) {
			t.Errorf("the page has %s, which is not registered", name)
		}
	}
}
