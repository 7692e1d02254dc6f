package wire

import (
	"github.com/assay-dev/assay/internal/codehost"
)

// ReadIssue reads an issue for an adapter. check refuses what every such host would refuse, before a request is sent. read asks the
// host and returns the issue with the number that it has there, and false if the readers of the repository do not see it. An issue
// that they do not see, or that has another number, is [codehost.NoIssue]: a host may answer with the issue of another repository to
// which it moved. The texts of the issue are bounded.
func ReadIssue(check func(op string, repo codehost.Repo, number int) error, repo codehost.Repo, number int,
	read func(op string) (i codehost.Issue, visible bool, err error)) (codehost.Issue, error) {
	const op = "read issue"
	if err := check(op, repo, number); err != nil {
		return codehost.Issue{}, err
	}
	i, visible, err := read(op)
	if err == nil && (!visible || i.Number != number) {
		err = codehost.NoIssue(op)
	}
	if err != nil {
		return codehost.Issue{}, err
	}
	return i.Bounded(), nil
}
