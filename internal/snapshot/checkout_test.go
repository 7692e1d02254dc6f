package snapshot

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/testkit"
)

// person is the environment of a person with a home folder.
func person(t testing.TB, config string) []string {
	t.Helper()
	home := t.TempDir()
	write(t, home, ".gitconfig", "[user]\n\tname = n\n\temail = n@example.org\n[protocol \"file\"]\n\tallow = always\n[core]\n\tsafecrlf = false\n"+strings.ReplaceAll(config, "$HOME", home))
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C"}
}

// as runs git as that person.
func as(t testing.TB, env []string, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	var stderr bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stderr = dir, env, &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %v: %v\n%s%s", args, err, out, stderr.String())
	}
	return strings.TrimSpace(string(out))
}

// seen lists the differences to HEAD, in order.
func seen(t testing.TB, c *Change, err error) (out []string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	set, err := diff.Parse(c.Raw)
	if err != nil {
		t.Fatalf("%v\n%s", err, c.Raw)
	}
	for _, f := range set.Files {
		out = append(out, f.Path)
		if f.Status == diff.Renamed {
			out = append(out, f.OldPath)
		}
	}
	slices.Sort(out)
	return out
}

const sixLines = "one\ntwo\nthree\nfour\nfive\nsix\n"

func crlf(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }

func utf16(s string) string {
	out := "\xff\xfe"
	for _, c := range []byte(s) {
		out += string([]byte{c, 0})
	}
	return out
}

// The working tree differs from HEAD in the same files as git reports, and each file has the number of
// changed lines that git shows.
func TestLocalSeesWhatGitSees(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config string // of the person; $HOME is their home folder
		before func(t *testing.T, dir string, git func(...string) string)
		after  func(t *testing.T, dir string, git func(...string) string)
		want   string // paths; "" for no difference
	}{
		"eol of an attribute": {"", func(t *testing.T, dir string, git func(...string) string) {
			write(t, dir, ".gitattributes", "*.ps1 text eol=crlf\n")
			write(t, dir, "a.ps1", crlf(sixLines))
		}, func(t *testing.T, dir string, git func(...string) string) {
			write(t, dir, "a.ps1", crlf("ONE\n"+sixLines[4:]))
		}, "a.ps1"},
		"autocrlf": {"[core]\n\tautocrlf = true\n", func(t *testing.T, dir string,
			git func(...string) string) {
			write(t, dir, "a", crlf(sixLines))
		},
			func(t *testing.T, dir string, git func(...string) string) { write(t, dir, "a", sixLines) }, ""},
		"autocrlf=input": {"[core]\n\tautocrlf = input\n", func(t *testing.T, dir string,
			git func(...string) string) {
			write(t, dir, "a", sixLines)
		},
			func(t *testing.T, dir string, git func(...string) string) { write(t, dir, "a", crlf(sixLines)) }, ""},
		"autocrlf of the checkout, in one line": {"", func(t *testing.T, dir string, git func(...string) string) { write(t, dir, "a", sixLines) },
			func(t *testing.T, dir string, git func(...string) string) {
				git("config", "core.autocrlf", "true")
				write(t, dir, "a", crlf(sixLines)+"seven\r\n")
			}, "a"},
		"line ends that the index has stay": {"", func(t *testing.T, dir string,
			git func(...string) string) {
			write(t, dir, "a", crlf(sixLines))
		},
			func(t *testing.T, dir string, git func(...string) string) {
				git("config", "core.autocrlf", "true")
				write(t, dir, "a", crlf("ONE\n"+sixLines[4:]))
			}, "a"},
		"no conversion": {"[core]\n\tautocrlf = true\n", func(t *testing.T, dir string, git func(...string) string) {
			write(t, dir, ".gitattributes", "a -text\n")
			write(t, dir, "a", sixLines)
		}, func(t *testing.T, dir string, git func(...string) string) { write(t, dir, "a", crlf(sixLines)) }, "a"},
		"attributes of the person": {"[core]\n\tattributesFile = ~/attributes\n",
			func(t *testing.T, dir string, git func(...string) string) { write(t, dir, "a", sixLines) },
			func(t *testing.T, dir string, git func(...string) string) { write(t, dir, "a", crlf(sixLines)) }, "a"},
		"attributes of the checkout": {"", func(t *testing.T, dir string, git func(...string) string) {
			write(t, dir, ".git/info/attributes", "a text\nb diff=evil -diff\n")
			write(t, dir, "a", sixLines)
		}, func(t *testing.T, dir string, git func(...string) string) {
			write(t, dir, "a", crlf(sixLines))
			write(t, dir, "b", "new\n")
		}, "b"},
		"an encoding": {"", func(t *testing.T, dir string, git func(...string) string) {
			write(t, dir, ".gitattributes", "*.txt text working-tree-encoding=UTF-16LE-BOM\n")
			write(t, dir, "a.txt", utf16(sixLines))
		}, func(t *testing.T, dir string, git func(...string) string) {
			write(t, dir, "a.txt", utf16("ONE\n"+sixLines[4:]))
		}, "a.txt"},
		"not in its encoding": {"", func(t *testing.T, dir string, git func(...string) string) {
			write(t, dir, ".gitattributes", "*.txt text working-tree-encoding=UTF-16LE-BOM\n")
			write(t, dir, "a.txt", utf16(sixLines))
		}, func(t *testing.T, dir string, git func(...string) string) {
			write(t, dir, "a.txt", "odd")
			write(t, dir, "b", sixLines)
		}, "a.txt b"},
		"ident": {"", func(t *testing.T, dir string, git func(...string) string) {
			write(t, dir, ".gitattributes", "a ident\n")
			write(t, dir, "a", "$Id$\n")
		}, func(t *testing.T, dir string, git func(...string) string) { write(t, dir, "a", "$Id: 0123456789 $\n") }, ""},
		"modes": {"", func(t *testing.T, dir string, git func(...string) string) { write(t, dir, "a", "x") },
			func(t *testing.T, dir string, git func(...string) string) {
				testkit.OK(t, os.Chmod(filepath.Join(dir, "a"), 0o755))
			}, "a"},
		"modes that do not count": {"", func(t *testing.T, dir string, git func(...string) string) { write(t, dir, "a", "x") },
			func(t *testing.T, dir string, git func(...string) string) {
				git("config", "core.fileMode", "false")
				testkit.OK(t, os.Chmod(filepath.Join(dir, "a"), 0o755))
			}, ""},
		"files that the person ignores": {"[core]\n\texcludesFile = ~/ignore\n", func(*testing.T, string, func(...string) string) {},
			func(t *testing.T, dir string, git func(...string) string) {
				write(t, dir, ".envrc", "x")
				write(t, dir, "kept.envrc", "x")
			}, "kept.envrc"},
		"files that the person ignores, taken back": {"[core]\n\texcludesFile = ~/ignore\n",
			func(t *testing.T, dir string, git func(...string) string) {
				write(t, dir, ".git/info/exclude", "!.envrc\n*.log\n")
			},
			func(t *testing.T, dir string, git func(...string) string) {
				write(t, dir, ".envrc", "x")
				write(t, dir, "a.log", "x")
			}, ".envrc"},
		"the usual file of ignored names": {"", func(*testing.T, string, func(...string) string) {},
			func(t *testing.T, dir string, git func(...string) string) { write(t, dir, "usual", "x") }, ""},
		"new files are not asked for": {"[status]\n\tshowUntrackedFiles = no\n", func(*testing.T, string, func(...string) string) {},
			func(t *testing.T, dir string, git func(...string) string) { write(t, dir, "new", "x") }, ""},
		"a submodule moves on": {"", func(t *testing.T, dir string, git func(...string) string) {
			lib := filepath.Join(t.TempDir(), "lib")
			git("init", "-q", lib)
			git("-C", lib, "commit", "-q", "--allow-empty", "-m", "first")
			git("submodule", "add", "-q", lib, "lib")
		}, func(t *testing.T, dir string, git func(...string) string) {
			git("-C", "lib", "commit", "-q", "--allow-empty", "-m", "more")
			write(t, dir, "lib/untracked", "x")
		}, "lib"},
		"a file becomes a folder, a folder a file": {"", func(t *testing.T, dir string, git func(...string) string) {
			write(t, dir, "a", sixLines)
			write(t, dir, "b/c", sixLines+"x")
		}, func(t *testing.T, dir string, git func(...string) string) {
			testkit.OK(t, os.Remove(filepath.Join(dir, "a")))
			testkit.OK(t, os.RemoveAll(filepath.Join(dir, "b")))
			write(t, dir, "a/d", "1")
			write(t, dir, "b", "2")
		}, "a a/d b b/c"},
		"a folder becomes a link": {"", func(t *testing.T, dir string, git func(...string) string) {
			write(t, dir, "a/x", sixLines)
			write(t, dir, "b/x", sixLines+"b")
		}, func(t *testing.T, dir string, git func(...string) string) {
			testkit.OK(t, os.RemoveAll(filepath.Join(dir, "b")))
			testkit.OK(t, os.Symlink("a", filepath.Join(dir, "b")))
		}, "b b/x"},
		"a split index": {"", func(t *testing.T, dir string, git func(...string) string) { write(t, dir, "a", sixLines) },
			func(t *testing.T, dir string, git func(...string) string) {
				git("update-index", "--split-index")
				write(t, dir, "b", "x")
				git("add", "b")
				write(t, dir, "a", "x")
			}, "a b"},
		"a sparse checkout with a sparse index": {"", func(t *testing.T, dir string, git func(...string) string) {
			write(t, dir, "in/a", sixLines)
			write(t, dir, "out/b", sixLines)
		}, func(t *testing.T, dir string, git func(...string) string) {
			git("sparse-checkout", "set", "--cone", "--sparse-index", "in")
			write(t, dir, "in/a", "x")
		}, "in/a"},
		"a file outside of the sparse checkout is there again": {"", func(t *testing.T, dir string, git func(...string) string) {
			write(t, dir, "in/a", sixLines)
			write(t, dir, "out/b", sixLines)
		}, func(t *testing.T, dir string, git func(...string) string) {
			git("sparse-checkout", "set", "--cone", "in")
			write(t, dir, "out/b", "x")
		}, "out/b"},
		"touched, not changed": {"", func(t *testing.T, dir string, git func(...string) string) { write(t, dir, "a", sixLines) },
			func(t *testing.T, dir string, git func(...string) string) { write(t, dir, "a", sixLines) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := person(t, c.config)
			home := strings.TrimPrefix(env[1], "HOME=")
			write(t, home, "ignore", ".envrc\n")
			write(t, home, "attributes", "a -text\n")
			write(t, home, ".config/git/ignore", "usual\n")
			for _, format := range []string{"sha1", "sha256"} {
				dir := t.TempDir()
				git := func(args ...string) string { return as(t, env, dir, args...) }
				if name == "a submodule moves on" && format == "sha256" {
					continue // git refuses a submodule of the other format
				}
				git("init", "-q", "-b", "main", "--object-format="+format)
				write(t, dir, "stays", "x")
				c.before(t, dir, git)
				git("add", "-A")
				git("commit", "-q", "-m", "first")
				c.after(t, dir, git)
				l, err := OpenLocal(t.Context(), dir, LocalOptions{Environ: env})
				testkit.OK(t, err)
				defer l.Close()
				change, err := l.Worktree(t.Context(), "")
				if got := strings.Join(seen(t, change, err), " "); got != c.want {
					t.Errorf("%s: %q differ, want %q", format, got, c.want)
				}
				theirs := strings.Fields(git("diff", "--name-only", "--no-renames", "--ignore-submodules=dirty", "HEAD"))
				if !strings.Contains(c.config, "showUntrackedFiles") {
					theirs = append(theirs, strings.Fields(git("ls-files", "--others", "--exclude-standard"))...)
				}
				slices.Sort(theirs)
				if got := strings.Join(theirs, " "); got != c.want {
					t.Errorf("%s: for git %q differ", format, got)
				}
				for _, f := range theirs {
					if bytes.Count(change.Raw, []byte("\n+")) > 12 {
						t.Errorf("%s: more lines of %s differ than were changed:\n%s", format, f, change.Raw)
					}
				}
				change, err = l.Staged(t.Context(), "")
				if got := strings.Join(seen(t, change, err), " "); got != strings.Join(strings.Fields(git("diff", "--name-only", "--no-renames",
					"--cached")), " ") {
					t.Errorf("%s: %q are staged", format, got)
				}
			}
		})
	}
}

// Filters are programs and are not started. Files that Git LFS would keep are recognised without it,
// and other files are named.
func TestLocalStartsNoFilter(t *testing.T) {
	t.Parallel()
	marks := t.TempDir()
	env := person(t, "[filter \"lfs\"]\n\tclean = touch "+marks+"/lfs\n\trequired = true\n[filter \"crypt\"]\n\tprocess = touch "+marks+"/crypt\n")
	dir := t.TempDir()
	git := func(args ...string) string { return as(t, env, dir, args...) }
	git("init", "-q", "-b", "main")
	write(t, dir, ".gitattributes", "*.bin filter=lfs\n*.key filter=crypt\n*.x filter=unknown\n")
	put := func(name, content string) {
		git("update-index", "--add", "--cacheinfo", "100644,"+testkit.GitFed(t, dir, content, "hash-object", "-w", "--stdin")+","+name)
	}
	put("same.bin", string(pointer([]byte("large"))))
	put("other.bin", string(pointer([]byte("large"))))
	put("empty.bin", "")
	put("not-fetched.bin", string(pointer([]byte("large"))))
	put("a.key", "encrypted")
	put("a.x", "plain")
	git("update-index", "--add", ".gitattributes")
	git("commit", "-q", "-m", "first")
	for name, content := range map[string]string{"same.bin": "large", "other.bin": "changed", "empty.bin": "",
		"not-fetched.bin": string(pointer([]byte("large"))), "a.key": "text", "a.x": "plain"} {
		write(t, dir, name, content)
	}
	l, err := OpenLocal(t.Context(), dir, LocalOptions{Environ: env})
	testkit.OK(t, err)
	defer l.Close()
	c, err := l.Worktree(t.Context(), "")
	if got := strings.Join(seen(t, c, err), " "); got != "a.key other.bin" {
		t.Errorf("%q differ\n%s", got, c.Raw)
	}
	if len(c.Notes) != 1 || !strings.Contains(c.Notes[0], "a.key (crypt)") || strings.Contains(c.Notes[0], ".bin") {
		t.Errorf("notes %q", c.Notes)
	}
	nothingRan(t, marks)
}
