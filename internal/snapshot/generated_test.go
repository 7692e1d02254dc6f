package snapshot

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

// For random settings, attributes, contents and edits, the differences equal those that git reports.
func TestLocalSeesWhatGitSeesByChance(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 34)) //nolint:gosec // a test
			pick := func(list ...string) string { return list[r.IntN(len(list))] }
			config := "[core]\n"
			for key, values := range map[string][]string{"autocrlf": {"true", "false", "input"}, "eol": {"lf", "crlf", "native"},
				"fileMode": {"true", "false"}, "trustctime": {"true", "false"}, "checkStat": {"default", "minimal"}} {
				if r.IntN(2) == 0 {
					config += "\t" + key + " = " + pick(values...) + "\n"
				}
			}
			env, dir := person(t, config), t.TempDir()
			git := func(args ...string) string { return as(t, env, dir, args...) }
			content := func() string {
				text := strings.Repeat("line of text\n", 1+r.IntN(4)) + fmt.Sprintln(r.IntN(3))
				switch r.IntN(6) {
				case 0, 1:
					return crlf(text)
				case 2:
					return "one\r\ntwo\n" + text
				case 3:
					return "zero\x00" + crlf(text)
				case 4:
					return "$Id$\n" + text
				}
				return text
			}
			git("init", "-q", "-b", "main")
			attributes := ""
			names := []string{"a.txt", "b.bat", "c/d.txt", "c/e.sh", "f.bin", "g", "c/h/i.u16"}
			for _, n := range []string{"*.txt", "*.bat", "*.sh", "g", "*.bin"} {
				attributes += n + " " + pick("text", "text=auto", "-text", "text eol=crlf", "text eol=lf", "eol=crlf", "ident", "binary",
					"filter=none", "text=auto eol=crlf", "crlf", "-crlf") + "\n"
			}
			write(t, dir, ".gitattributes", attributes+"*.u16 working-tree-encoding=UTF-16LE-BOM "+pick("text", "eol=crlf", "-text")+"\n")
			for _, n := range names {
				write(t, dir, n, content())
			}
			write(t, dir, "c/h/i.u16", utf16(sixLines))
			git("add", "-A")
			git("commit", "-q", "-m", "first")
			if r.IntN(2) == 0 { // as a fresh checkout writes them
				git("rm", "-q", "-r", "--cached", ".")
				git("reset", "-q", "--hard")
			}
			for _, n := range names {
				path := filepath.Join(dir, n)
				switch r.IntN(8) {
				case 0:
					write(t, dir, n, content())
				case 1:
					raw, _ := os.ReadFile(path)
					write(t, dir, n, strings.ReplaceAll(string(raw), "\r\n", "\n"))
				case 2:
					raw, _ := os.ReadFile(path)
					write(t, dir, n, crlf(strings.ReplaceAll(string(raw), "\r\n", "\n")))
				case 3:
					raw, _ := os.ReadFile(path)
					write(t, dir, n, string(raw)+"more\n")
				case 4:
					_ = os.Remove(path)
				case 5:
					_ = os.Chmod(path, 0o755) //nolint:gosec // a mode that git compares
				case 6:
					write(t, dir, n+".new", content())
				}
			}
			if r.IntN(3) == 0 {
				write(t, dir, ".gitattributes", "* "+pick("text", "-text", "text=auto")+"\n")
			}
			theirs := append(strings.Fields(git("diff", "--name-only", "--no-renames", "HEAD")),
				strings.Fields(git("ls-files", "--others", "--exclude-standard"))...)
			slices.Sort(theirs)
			l, err := OpenLocal(t.Context(), dir, LocalOptions{Environ: env})
			testkit.OK(t, err)
			defer l.Close()
			c, err := l.Worktree(t.Context(), "")
			if got := seen(t, c, err); !slices.Equal(got, theirs) {
				t.Errorf("%q differ, for git %q\n%s%s", got, theirs, config, attributes)
			}
			add := exec.Command("git", "add", "-A") // fails if a file is not in its encoding
			add.Dir, add.Env = dir, env
			if add.Run() == nil && git("write-tree") != c.Head {
				t.Errorf("the tree is %s, for git %s\n%s%s", c.Head, git("write-tree"), config, attributes)
			}
		})
	}
}
