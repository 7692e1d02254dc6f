package testkit

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

const wait = 20 * time.Second

func shell(t testing.TB, script string, env map[string]string) *Process {
	t.Helper()
	return Start(t, Command{Path: "/bin/sh", Args: []string{"-c", script}, Env: env})
}

func TestProcessOutputAndExit(t *testing.T) {
	p := shell(t, `echo one; echo two >&2; printf three; exit 7`, nil)
	if got := p.WaitLine(wait, "tw"); got != "two" {
		t.Errorf("WaitLine = %q", got)
	}
	if code := p.Wait(wait); code != 7 {
		t.Errorf("exit code %d, want 7", code)
	}
	if got := strings.Join(p.Lines(), "|"); got != "one|two|three" {
		t.Errorf("lines = %q", got)
	}
	if got := p.WaitLine(wait, "three"); got != "three" {
		t.Errorf("WaitLine after the end = %q", got)
	}
	if p.Running() {
		t.Error("an ended process is running")
	}
	p.Signal(syscall.SIGTERM)
	p.Kill()
}

func TestProcessEnvironmentIsSmall(t *testing.T) {
	t.Setenv("ASSAY_DATABASE_URL", "of the developer")
	p := shell(t, `echo "[$ASSAY_DATABASE_URL] [$GIVEN]"`, map[string]string{"GIVEN": "yes"})
	p.WaitLine(wait, "[] [yes]")
}

func TestProcessSignals(t *testing.T) {
	p := shell(t, `trap 'echo asked; exit 3' TERM; echo up; while :; do sleep 0.05; done`, nil)
	p.WaitLine(wait, "up")
	p.Signal(syscall.SIGSTOP)
	p.Signal(syscall.SIGCONT)
	p.Signal(syscall.SIGTERM)
	if code := p.Wait(wait); code != 3 {
		t.Errorf("exit code %d, want 3", code)
	}
}

func TestProcessDiesWithTheTestWithItsChildren(t *testing.T) {
	var pids []string
	t.Run("a test", func(t *testing.T) {
		p := shell(t, `sleep 1000 & echo pids $! $$; wait`, nil)
		pids = strings.Fields(p.WaitLine(wait, "pids"))[1:]
		p.Signal(syscall.SIGSTOP)
	})
	for _, s := range pids {
		pid, _ := strconv.Atoi(s)
		Eventually(t, wait, func() (bool, string) {
			return !alive(pid), "process " + s + " outlived its test"
		})
	}
}

// recorder is a test that fails without ending the test that uses it.
type recorder struct {
	testing.TB
	failed string
	logged string
}

type fatal struct{}

func (r *recorder) Helper() {}
func (r *recorder) Fatalf(f string, a ...any) {
	r.failed = fmt.Sprintf(f, a...)
	panic(fatal{})
}
func (r *recorder) Logf(f string, a ...any) { r.logged += fmt.Sprintf(f, a...) }
func (r *recorder) Failed() bool            { return r.failed != "" }

func failure(t *testing.T, fn func(testing.TB)) *recorder {
	t.Helper()
	r := &recorder{TB: t}
	func() {
		defer func() {
			if v := recover(); v != nil && v != (fatal{}) {
				panic(v)
			}
		}()
		fn(r)
	}()
	return r
}

func TestFailuresSayWhatWasMissing(t *testing.T) {
	tests := []struct {
		name string
		run  func(testing.TB)
		want string
	}{
		{"no such program", func(t testing.TB) { Start(t, Command{Path: "/nonexistent/program"}) }, "does not start"},
		{"line never comes", func(t testing.TB) { shell(t, `sleep 1000`, nil).WaitLine(50*time.Millisecond, "up") }, "no line"},
		{"ends without the line", func(t testing.TB) { shell(t, `echo down; exit 4`, nil).WaitLine(wait, "up") }, "exit status 4"},
		{"does not end", func(t testing.TB) { shell(t, `sleep 1000`, nil).Wait(50 * time.Millisecond) }, "has not ended"},
		{"ends before it is ready", func(t testing.TB) { shell(t, `exit 5`, nil).WaitReady(wait, "http://127.0.0.1:1/") }, "exit status 5"},
		{"never ready", func(t testing.TB) { shell(t, `sleep 1000`, nil).WaitReady(50*time.Millisecond, "http://127.0.0.1:1/") }, "not ready"},
		{"never so", func(t testing.TB) {
			Eventually(t, 30*time.Millisecond, func() (bool, string) { return false, "because" })
		}, "because"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if r := failure(t, tt.run); !strings.Contains(r.failed, tt.want) {
				t.Errorf("failure = %q, want %q in it", r.failed, tt.want)
			}
		})
	}
}

func TestOutputIsShownOnFailure(t *testing.T) {
	var r *recorder
	t.Run("a failing test", func(t *testing.T) {
		r = failure(t, func(tb testing.TB) { shell(tb, `echo the reason; exit 1`, nil).WaitLine(wait, "up") })
	})
	if !strings.Contains(r.logged, "the reason") {
		t.Errorf("logged = %q", r.logged)
	}
}

func TestOutputIsBounded(t *testing.T) {
	p := &Process{wake: make(chan struct{})}
	for i := range maxLines + 10 {
		fmt.Fprintf(p, "%d\n", i)
	}
	lines := p.Lines()
	if len(lines) > maxLines || lines[len(lines)-1] != strconv.Itoa(maxLines+9) {
		t.Errorf("%d lines, last %q", len(lines), lines[len(lines)-1])
	}
	for range 3 * maxLine / 1024 {
		_, _ = p.Write([]byte(strings.Repeat("x", 1024)))
	}
	_, _ = p.Write([]byte("\n"))
	if got := p.Lines(); len(got[len(got)-1]) > maxLine {
		t.Errorf("a line of %d bytes was kept", len(got[len(got)-1]))
	}
}

func TestRootAndContracts(t *testing.T) {
	if _, err := os.Stat(filepath.Join(Root(t), "internal", "testkit")); err != nil {
		t.Error(err)
	}
	dir := t.TempDir()
	t.Setenv("ASSAY_CONTRACTS", dir)
	must(t, os.WriteFile(filepath.Join(dir, "x.json"), nil, 0o600))
	if got := Contracts(t, "x.json"); got != filepath.Join(dir, "x.json") {
		t.Errorf("Contracts = %q", got)
	}
	skipped := false
	t.Run("absent", func(t *testing.T) {
		defer func() { skipped = t.Skipped() }()
		Contracts(t, "absent.json")
	})
	if !skipped {
		t.Error("an absent contract did not skip the test")
	}
}

func TestFreePortIsFreeAndGivenOnce(t *testing.T) {
	seen := map[int]bool{}
	for range 20 {
		port := FreePort(t)
		if seen[port] {
			t.Fatalf("port %d was given twice", port)
		}
		seen[port] = true
		l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port))
		must(t, err)
		_ = l.Close()
	}
}

func TestSweepRemovesOnlyUnusedFolders(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	old := time.Now().Add(-time.Hour)
	folder := func(name string, age time.Time) string {
		dir := filepath.Join(os.TempDir(), folderPrefix+name)
		must(t, os.MkdirAll(dir, 0o755))
		must(t, os.WriteFile(filepath.Join(dir, lockName), nil, 0o600))
		must(t, os.Chtimes(dir, age, age))
		return dir
	}
	held, dead, young := folder("held", old), folder("dead", old), folder("young", time.Now())
	lock, err := lockFile(filepath.Join(held, lockName))
	must(t, err)
	defer lock.Close()
	sweep()
	for dir, want := range map[string]bool{held: true, dead: false, young: true} {
		if _, err := os.Stat(dir); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", filepath.Base(dir), err == nil, want)
		}
	}
}
