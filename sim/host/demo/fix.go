package demo

import (
	"path"
	"strings"

	"github.com/assay-dev/assay/sim/host/simapi"
)

// fixMessage is the message of the commits of [Fix].
const fixMessage = "Fix what the review found"

// Fix returns the second commit of a sample pull request, which repairs the planted faults that are left on its branch. file
// returns the present text of a file of the branch. The last part of the repository's name counts, because hosts put different parts
// before it. Fix returns false if the repository has no such pull request, or if no fault is
// left.
func Fix(repository, branch string, file func(path string) string) (simapi.CommitSpec, bool) {
	pulls := map[string][]PullRequest{path.Base(Repository): PullRequests(), path.Base(Payouts): {Held()}}
	files := map[string]string{}
	for _, p := range pulls[path.Base(repository)] {
		if p.Branch == branch {
			p.repair(files, file)
		}
	}
	return simapi.CommitSpec{Branch: branch, Files: files, Message: fixMessage}, len(files) > 0
}

// repair adds the files with repaired faults.
func (p PullRequest) repair(files map[string]string, file func(path string) string) {
	replace := func(path, planted, by string) {
		before, found := files[path]
		if !found {
			before = file(path)
		}
		if after := strings.Replace("\n"+before, "\n"+planted+"\n", "\n"+by+"\n", 1)[1:]; after != before {
			files[path] = after
		}
	}
	for _, b := range p.PlantedBugs {
		first := b.Line
		if b.StartLine != 0 {
			first = b.StartLine
		}
		lines := strings.Split(p.Files[b.Path], "\n")
		replace(b.Path, strings.Join(lines[first-1:b.Line], "\n"), b.Suggestion)
	}
	for _, s := range p.PlantedSecrets {
		replace(s.Path, s.LineText, s.Without)
	}
}
