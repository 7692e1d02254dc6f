package doctor

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/analysers"
)

func TestAnalysersAreReported(t *testing.T) {
	t.Parallel()
	good := analysers.Examined{Name: "ruff", Version: "0.14.2", Grade: "namespaces, Landlock 7, seccomp"}
	for name, tt := range map[string]struct {
		found []analysers.Examined
		want  Status
		says  string
		fix   string
	}{
		"one":               {[]analysers.Examined{good}, OK, "ruff 0.14.2 (namespaces, Landlock 7, seccomp)", ""},
		"a missing one":     {[]analysers.Examined{good, {Name: "x", Failure: analysers.NoProgram}}, Warn, "x does not run: the program", "Install the program"},
		"another version":   {[]analysers.Examined{{Name: "x", Version: "1.2", Failure: analysers.Version}}, Warn, "x does not run: it has version 1.2", "change version"},
		"without a sandbox": {[]analysers.Examined{{Name: "x", Failure: analysers.Sandbox}}, Warn, "no sandbox", "Landlock"},
		"too slow":          {[]analysers.Examined{{Name: "x", Failure: analysers.Time}}, Warn, "x does not run: ", "log"},
	} {
		t.Run(name, func(t *testing.T) {
			status, message, fix := foundAnalysers(tt.found)
			if status != tt.want || !strings.Contains(message, tt.says) || !strings.Contains(fix, tt.fix) || (fix == "") != (tt.fix == "") {
				t.Errorf("%s %q %q", status, message, fix)
			}
		})
	}
}
