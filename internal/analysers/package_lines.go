package analysers

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/sarif"
)

// Bounds of the search for packages (design choices).
const (
	maxPackages = 500 // of one report
	versionNear = 4   // lines from the name of a package to its version
	maxNames    = 200 // occurrences of one name
)

// vulnerablePackage matches the package and the version in a message of osv-scanner 2.5.0.
var vulnerablePackage = regexp.MustCompile(`^Package '(.{1,300})@([^'@]{1,100})' is vulnerable to `)

// placePackages gives the results of osv-scanner the lines of their packages, because its reports name files only. A result
// whose package is not found keeps no line.
func placePackages(doc *sarif.Document, w *workspace) {
	found := map[string]int{} // line by path and package
	texts := map[string]string{}
	for i := range doc.Runs {
		for j := range doc.Runs[i].Results {
			r := &doc.Runs[i].Results[j]
			m := vulnerablePackage.FindStringSubmatch(r.Message)
			if m == nil || r.StartLine > 0 {
				continue
			}
			key := r.Path + "\x00" + m[1] + "\x00" + m[2]
			line, known := found[key]
			if !known && len(found) < maxPackages {
				text, read := texts[r.Path]
				if !read {
					raw, _ := os.ReadFile(filepath.Join(w.tree, filepath.FromSlash(r.Path))) // a file that is gone has no lines
					text = strings.ToLower(string(raw))
					texts[r.Path] = text
				}
				line = packageLine(text, m[1], m[2])
				found[key] = line
			}
			r.StartLine, r.EndLine = line, line
		}
	}
}

// packageLine returns the line with the version of a package in the lower-case text of a lock file, or 0 if the text does not
// have the package with that version. The name may be of the form group:artifact, as in Maven.
func packageLine(text, name, version string) int {
	name, version = strings.ToLower(name), strings.ToLower(version)
	names := []string{"node_modules/" + name, name, strings.ReplaceAll(name, "-", "_")}
	if _, artifact, ok := strings.Cut(name, ":"); ok {
		names = append(names, artifact)
	}
	for _, n := range names {
		at := 0
		for range maxNames {
			i := word(text[at:], n)
			if i < 0 {
				break
			}
			at += i + len(n)
			near := text[at:]
			for lines := range versionNear + 1 {
				line, rest, more := strings.Cut(near, "\n")
				if word(line, version) >= 0 || word(line, "v"+version) >= 0 {
					return 1 + strings.Count(text[:at], "\n") + lines
				}
				if near = rest; !more {
					break
				}
			}
		}
	}
	return 0
}

// word returns the index of a word that is no part of a longer name, or -1.
func word(text, w string) int {
	inName := func(b byte) bool {
		return b >= 'a' && b <= 'z' || b >= '0' && b <= '9' || strings.IndexByte("._-@", b) >= 0
	}
	for at := 0; w != ""; {
		i := strings.Index(text[at:], w)
		if i < 0 {
			break
		}
		from, to := at+i, at+i+len(w)
		at = to
		scoped := strings.HasSuffix(text[:from], "/") && !strings.HasSuffix(text[:from], "node_modules/")
		// "@" before a name opens a scope; after a name it opens a version
		if (from == 0 || !inName(text[from-1]) && !scoped || text[from-1] == '@' && strings.ContainsRune("0123456789v", rune(w[0]))) &&
			(to == len(text) || !inName(text[to]) || text[to] == '@') {
			return from
		}
	}
	return -1
}
