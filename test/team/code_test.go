package team

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/review"
	"github.com/assay-dev/assay/internal/review/guideline"
	"github.com/assay-dev/assay/internal/store/storetest"
)

// folders are the folders of the repository that pull requests change.
var folders = []string{loud, "shop/cart", "migrations"}

// loud is the folder in which the model gives opinions the severity High, too.
const loud = "scripts"

// opinions are the remarks that are a matter of taste.
var opinions = []string{
	"The result of this call is not used", "This call is made without a bound", "The list is walked twice here",
	"This value is only used once", "A helper for this call exists elsewhere", "The order of these calls looks odd",
	"This step has no comment", "The call is retried without a pause",
}

// pull is a pull request: new files, the remarks of the model about them, and what is truly wrong.
type pull struct {
	number int
	files  map[string]string
	golden []eval.Golden
	secret string // the path of a file with a secret, or ""
}

func (p pull) head() string { return fmt.Sprint("pull-", p.number) }

// newPull writes pull request n. Each has four or five opinions. Every fourth has a security defect of High, every fifth a
// defect of High that is not about security, and every sixth a secret, in the files that the opinions are about. Where the
// team refuses opinions of High, only security and secrets are planted: there a suppression covers other findings of High.
func newPull(seed uint64, n int) pull {
	rng := rand.New(rand.NewPCG(seed, uint64(n)))
	p := pull{number: n, files: map[string]string{}}
	first := rng.IntN(len(folders))
	names := []string{fmt.Sprintf("%s/step%d.go", folders[first], n), fmt.Sprintf("%s/part%d.go", folders[(first+1)%len(folders)], n)}
	for _, name := range names {
		p.files[name] = "package " + path.Base(path.Dir(name)) + "\n"
	}
	words := rng.Perm(len(opinions))
	for i := range 4 + rng.IntN(2) {
		severity := "medium"
		if strings.HasPrefix(names[i%2], loud) && rng.IntN(6) == 0 {
			severity = "high"
		}
		p.add(names[i%2], fmt.Sprintf("taste%d", i), fmt.Sprintf("load%dx%d(in[%d:])", n, i, i), severity, "bug", opinions[words[i]])
	}
	if n%4 == 0 {
		p.add(names[0], "grave", fmt.Sprintf("query%d(\"SELECT \" + in[0])", n), "high", "security", "Input of a request becomes part of a query")
	}
	if n%5 == 0 {
		elsewhere := names[0]
		if strings.HasPrefix(elsewhere, loud) {
			elsewhere = names[1]
		}
		p.add(elsewhere, "broken", fmt.Sprintf("pay%d(-len(in))", n), "high", "bug", "Customers are charged a negative amount")
	}
	if n%6 == 0 {
		p.secret = names[0]
		p.files[names[0]] += "\nvar key = \"" + "AKIA" + letters(rng, 16) + "\"\n"
	}
	return p
}

// letters returns n random characters of the alphabet of access keys.
func letters(rng *rand.Rand, n int) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	var b strings.Builder
	for range n {
		b.WriteByte(alphabet[rng.IntN(len(alphabet))])
	}
	return b.String()
}

// add appends a function with one call to a file, and what the model says about the call.
func (p *pull) add(name, defect, call, severity, category, text string) {
	p.files[name] += fmt.Sprintf("\nfunc %s%d(in []string) {\n\t%s\n}\n", defect, p.number, call)
	line := strings.Count(p.files[name], "\n") - 1
	p.golden = append(p.golden, eval.Golden{Path: name, Side: domain.Right, StartLine: line, EndLine: line, Defect: defect, Severity: severity,
		Category: category, Text: text})
}

// Open implements [review.Snapshots].
func (m *team) Open(_ context.Context, _ codehost.Reader, _ codehost.Repo, number int, _, head string, _ ...string) (
	review.Snapshot, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, there := m.pulls[head]
	if !there || p.number != number {
		return nil, fs.ErrNotExist
	}
	return snapshot{p}, nil
}

// snapshot is the code of a pull request.
type snapshot struct{ pull }

// Diff implements [review.Snapshot].
func (s snapshot) Diff(context.Context) ([]byte, error) {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(s.files)) {
		lines := strings.Split(strings.TrimSuffix(s.files[name], "\n"), "\n")
		fmt.Fprintf(&b, "diff --git a/%s b/%s\nnew file mode 100644\nindex 0000000..%s\n--- /dev/null\n+++ b/%s\n@@ -0,0 +1,%d @@\n", name, name,
			storetest.SHA(name)[:7], name, len(lines))
		for _, l := range lines {
			b.WriteString("+" + l + "\n")
		}
	}
	return []byte(b.String()), nil
}

// Blob implements [change.Source].
func (s snapshot) Blob(_ context.Context, side domain.Side, name string) ([]byte, error) {
	text, there := s.files[name]
	if !there || side == domain.Left {
		return nil, fs.ErrNotExist
	}
	return []byte(text), nil
}

// At implements [review.Snapshot].
func (snapshot) At(string) guideline.Tree { return nil }

// Notice implements [review.Snapshot].
func (snapshot) Notice() string { return "" }

// Close implements [review.Snapshot].
func (snapshot) Close() error { return nil }
