package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/github/simapi"
	"github.com/assay-dev/assay/test/site"
)

// stranger is a person who has only the binary and docs/install.md.
type stranger struct {
	*world
	page  string
	dir   string // their working folder, with assay on the PATH
	given string // the settings of the page, with values of this world
}

var (
	shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")
	setting    = regexp.MustCompile(`(?m)^export (ASSAY_[A-Z_]+)=(\S+).*$`)
	runID      = regexp.MustCompile(`\brun_[a-z0-9]+`)
)

// TestInstallPage follows the page from an empty folder to a review on the host: every setting that it
// shows, and every command, in its order.
func TestInstallPage(t *testing.T) {
	in(t, both, emptyWorld, func(t *testing.T, w *world) {
		text, err := os.ReadFile(filepath.Join(testkit.Root(t), "docs", "install.md"))
		must(t, err)
		s := &stranger{world: w, page: string(text), dir: t.TempDir()}
		must(t, os.Symlink(testkit.Binary(t), filepath.Join(s.dir, "assay")))
		s.given = s.settings()
		s.registered()

		s.says("assay config check", 0)
		if w.storage.embedded {
			s.says("assay doctor", 0)
			s.starts("assay serve").WaitReady(patience, w.url("/readyz"))
		} else {
			s.starts("assay migrate && assay api").WaitReady(patience, w.url("/readyz"))
			if out := s.says("assay doctor", 1); strings.Count(out, "fail ") != 1 || !strings.Contains(out, "fail  D006") { // the test server has fsync off
				t.Errorf("the doctor says\n%s", out)
			}
			s.starts("assay worker").WaitLine(patience, "works on")
		}

		w.repo = "acme/shop"
		_, err = w.host.CreateRepo(w.ctx, simapi.RepoSpec{Owner: "acme", Name: "shop", Files: baseFiles()})
		must(t, err)
		w.installed("acme")
		review := w.reviewed(w.open("bug", buggy()).Number, 1)[0]
		if len(review.Comments) != 1 || !strings.Contains(review.Comments[0].Body, bugTitle) {
			t.Errorf("the review: %s %+v", review.Body, review.Comments)
		}
		w.quiet()

		run := runID.FindString(s.says("assay runs list", 0))
		if out := s.says("assay runs show RUN", 0, "RUN", run); !strings.Contains(out, bugTitle) {
			t.Errorf("the run %q does not name its finding:\n%s", run, out)
		}
		guid := w.delivery("pull_request", "opened").GUID
		if out := s.says("assay deliveries show GUID", 0, "GUID", guid); !strings.Contains(out, run) {
			t.Errorf("the delivery does not name its run:\n%s", out)
		}
		if out := s.says(`assay admin break-glass --user "Admin"`, 0); !strings.Contains(out, w.url("/auth/break-glass")) {
			t.Errorf("the link is not one of this address:\n%s", out)
		}
	})
}

// emptyWorld is a world before its first start: its database has no schema.
func emptyWorld(t *testing.T, s storage) *world {
	t.Helper()
	return worldOf(t, scenarioTime, s, site.Options{Owner: "acme", Empty: true})
}

// row finds a row in the page's table of the app.
func (s *stranger) row(name string) []string {
	s.Helper()
	m := regexp.MustCompile(`(?m)^\| ` + name + ` \| (.+) \|$`).FindStringSubmatch(s.page)
	if m == nil {
		s.Fatalf("the page has no row %q", name)
	}
	return regexp.MustCompile(`, | · `).Split(m[1], -1)
}

// registered gives the app exactly the permissions and events that the page lists, by their names in
// GitHub's API.
func (s *stranger) registered() {
	s.Helper()
	key := func(words string) string {
		return strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(words, "Commit ")), " ", "_")
	}
	update := simapi.AppUpdate{Permissions: map[string]string{}}
	for _, p := range append(s.row("Repository permissions"), s.row("Organisation permissions")...) {
		name, access, _ := strings.Cut(p, ": ")
		update.Permissions[key(name)] = access
	}
	for _, e := range s.row("Events") {
		update.Events = append(update.Events, key(e))
	}
	must(s.T, s.gh.UpdateApp(s.ctx, s.app.ID, update))
}

// settings are the page's exports with values of this world. Only the settings that the simulated host
// and model need are added, and no setting is left out.
func (s *stranger) settings() string {
	s.Helper()
	file := func(name, value string) string {
		path := filepath.Join(s.dir, name)
		must(s.T, os.WriteFile(path, []byte(value+"\n"), 0o600))
		return path
	}
	here := map[string]string{
		"ASSAY_PUBLIC_BASE_URL":                      s.url(""),
		"ASSAY_BOOTSTRAP_TENANT":                     "acme",
		"ASSAY_BOOTSTRAP_GITHUB_APP_ID":              s.env["ASSAY_BOOTSTRAP_GITHUB_APP_ID"],
		"ASSAY_BOOTSTRAP_GITHUB_SLUG":                s.app.Slug,
		"ASSAY_BOOTSTRAP_GITHUB_OWNER":               "acme,acme-labs",
		"ASSAY_BOOTSTRAP_GITHUB_CLIENT_ID":           s.app.ClientID,
		"ASSAY_BOOTSTRAP_GITHUB_CLIENT_SECRET_FILE":  file("client", s.app.ClientSecret),
		"ASSAY_BOOTSTRAP_GITHUB_PRIVATE_KEY_FILE":    file("app.pem", s.app.PrivateKeyPEM),
		"ASSAY_BOOTSTRAP_GITHUB_WEBHOOK_SECRET_FILE": file("webhook", s.secret),
		"ASSAY_BOOTSTRAP_MODEL_KIND":                 "compatible",
		"ASSAY_BOOTSTRAP_MODEL_BASE_URL":             s.env["ASSAY_BOOTSTRAP_MODEL_BASE_URL"],
		"ASSAY_BOOTSTRAP_MODEL_API_KEY_FILE":         file("model-key", "sk-"+strings.Repeat("m", 20)),
		"ASSAY_BOOTSTRAP_MODEL_STANDARD":             "scripted",
	}
	if !s.storage.embedded { // "leave it out for SQLite", "leave it out for one process"
		here["ASSAY_DATABASE_URL_FILE"], here["ASSAY_KV_URL"] = file("database-url", s.database), s.kv.URL()
	}
	lines, seen := "", map[string]bool{}
	section := s.page[strings.Index(s.page, "## 3. Configure"):strings.Index(s.page, "## 4. Start")]
	for _, m := range setting.FindAllStringSubmatch(shellBlock.FindString(section), -1) {
		seen[m[1]] = true
		if value, ok := here[m[1]]; ok {
			lines += fmt.Sprintf("export %s='%s'\n", m[1], value)
		} else if !s.storage.embedded {
			s.Fatalf("the page sets %s, for which this test has no value", m[1])
		}
	}
	for name := range here {
		if !seen[name] {
			s.Errorf("the page does not set %s", name)
		}
	}
	for _, name := range []string{"ASSAY_DATA_DIR", "ASSAY_LISTEN", "ASSAY_METRICS_LISTEN", "ASSAY_BOOTSTRAP_GITHUB_BASE_URL",
		"ASSAY_OUTBOUND_AIR_GAP_ALLOW_HTTP", "ASSAY_OUTBOUND_AIR_GAP_ALLOWED_HOSTS"} {
		lines += fmt.Sprintf("export %s='%s'\n", name, s.env[name])
	}
	return lines
}

// starts starts a command of the page.
func (s *stranger) starts(command string) *testkit.Process {
	s.Helper()
	if !strings.Contains(s.page, command) {
		s.Fatalf("the page does not name %q", command)
	}
	return s.shell(command)
}

// says runs a command of the page, with names in capitals replaced, and returns its output.
func (s *stranger) says(command string, want int, replace ...string) string {
	s.Helper()
	if !strings.Contains(s.page, command) {
		s.Fatalf("the page does not name %q", command)
	}
	p := s.shell(strings.NewReplacer(replace...).Replace(command))
	code := p.Wait(patience)
	out := strings.Join(p.Lines(), "\n")
	if code != want {
		s.Errorf("%s ended with %d, want %d:\n%s", command, code, want, out)
	}
	return out
}

func (s *stranger) shell(command string) *testkit.Process {
	s.Helper()
	return testkit.Start(s.T, testkit.Command{Path: "/bin/sh", Name: command, Dir: s.dir,
		Args: []string{"-euc", "PATH=" + s.dir + ":$PATH\n" + s.given + command}})
}
