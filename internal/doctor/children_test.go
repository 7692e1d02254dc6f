package doctor

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/sandbox"
)

func TestWhatHoldsChildProcessesIsSaid(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		status sandbox.Status
		want   Status
		says   string
	}{
		"everything":  {sandbox.Status{Limits: true, NoNewPrivileges: true, Landlock: 7}, OK, "Landlock 7"},
		"no Landlock": {sandbox.Status{Limits: true, NoNewPrivileges: true, Missing: []string{"Landlock: not here"}}, Warn, "missing: Landlock: not here"},
		"no limits":   {sandbox.Status{Missing: []string{"limits"}}, Fail, "without limits"},
	} {
		t.Run(name, func(t *testing.T) {
			got, message, fix := held(tt.status)
			if got != tt.want || !strings.Contains(message, tt.says) || (fix == "") != (got == OK) {
				t.Errorf("%s %q %q", got, message, fix)
			}
		})
	}
}
