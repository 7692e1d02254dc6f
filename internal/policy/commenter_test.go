package policy

import (
	"context"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
)

// byLogin is a host with requests by login, and byNumber one with requests by number too.
type byLogin struct{ codehost.Host }

func (byLogin) Permission(_ context.Context, _ codehost.Repo, login string) (string, error) {
	return map[string]string{"ann": "write"}[login], nil
}

type byNumber struct {
	byLogin
	people map[domain.HostID]string
}

func (h byNumber) PermissionOf(_ context.Context, _ codehost.Repo, person domain.HostID, _ string) (string, error) {
	word, ok := h.people[person]
	if !ok {
		return "", &codehost.Error{Class: codehost.ClassNotFound}
	}
	return word, nil
}

// An account that took the login of a person who may write may not write. The person keeps the permission
// under a new login.
func TestWhoMayCommandIsAskedByNumber(t *testing.T) {
	t.Parallel()
	people := byNumber{people: map[domain.HostID]string{"3": "maintain", "8": "read"}}
	known := codehost.Repo{ExternalID: "5"}
	for name, tt := range map[string]struct {
		host codehost.Host
		repo codehost.Repo
		cm   codehost.EventComment
		want string
	}{
		"by number":                     {people, known, codehost.EventComment{Author: "anna", AuthorID: "3"}, "maintain"},
		"a login with a new owner":      {people, known, codehost.EventComment{Author: "ann", AuthorID: "8"}, "read"},
		"an unknown account":            {people, known, codehost.EventComment{Author: "ann", AuthorID: "9"}, "none"},
		"an event without the number":   {people, known, codehost.EventComment{Author: "ann"}, "write"},
		"a repository without a number": {people, codehost.Repo{}, codehost.EventComment{Author: "ann", AuthorID: "8"}, "write"},
		"a host without numbers":        {byLogin{}, known, codehost.EventComment{Author: "ann", AuthorID: "8"}, "write"},
	} {
		if got, err := CommenterRole(t.Context(), tt.host, tt.repo, tt.cm); err != nil || got != tt.want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
