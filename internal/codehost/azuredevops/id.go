package azuredevops

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/regexp"
)

// nameForm matches names of organisations, projects and repositories (learn.microsoft.com/azure/devops/organizations/settings/
// naming-restrictions): letters of any script and spaces, without the characters that the page forbids. It allows more than the host.
var nameForm = regexp.MustCompile(`^[^\x00-\x1f\x7f\\/:*?"<>|;#$*{},+=\[\]%]{1,255}$`)

func validName(s string) bool {
	return nameForm.MatchString(s) && strings.TrimSpace(s) == s && strings.Trim(s, ".") != ""
}

// validOwner reports whether a text is an organisation, or organisation/project.
func validOwner(s string) bool {
	parts := strings.Split(s, "/")
	return len(parts) <= 2 && validName(parts[0]) && validName(parts[len(parts)-1])
}

// guidForm matches ids of repositories, projects and accounts.
var guidForm = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// guid returns an id, or "" for a text in another form.
func guid(s string) domain.HostID {
	if !guidForm.MatchString(s) {
		return ""
	}
	return domain.HostID(strings.ToLower(s))
}

// divide splits an owner into organisation and project, which is "" for a whole organisation.
func divide(owner string) (organisation, project string) {
	organisation, project, _ = strings.Cut(owner, "/")
	return organisation, project
}

// checkRepo returns an error for a name that cannot be a repository's, to keep it out of request paths.
func checkRepo(op string, r codehost.Repo) error {
	if _, project := divide(r.Owner); !validOwner(r.Owner) || project == "" || !validName(r.Name) {
		return codehost.Refused(op, "owner and name must be organisation/project and the name of a repository")
	}
	return nil
}

// checkPull is [checkRepo] with a pull request's number, which must be positive.
func checkPull(op string, r codehost.Repo, number int) error {
	if number <= 0 {
		return codehost.Refused(op, "the pull request's number must be positive")
	}
	return checkRepo(op, r)
}

// checkBranch is [checkRepo] with the name of a branch.
func checkBranch(op string, r codehost.Repo, branch string) error {
	if err := checkRepo(op, r); err != nil {
		return err
	}
	return codehost.CheckBranch(op, branch)
}

// orgPath, projectPath and repoPath are the beginnings of paths. Names must be checked.
func orgPath(owner string) string {
	organisation, _ := divide(owner)
	return "/" + url.PathEscape(organisation)
}

func projectPath(owner string) string {
	_, project := divide(owner)
	return orgPath(owner) + "/" + url.PathEscape(project)
}

func repoPath(r codehost.Repo) string {
	return projectPath(r.Owner) + "/_apis/git/repositories/" + url.PathEscape(r.Name)
}

// pullPath is the beginning of the paths below a pull request.
func pullPath(r codehost.Repo, number int) string {
	return repoPath(r) + "/pullRequests/" + strconv.Itoa(number)
}

// Comments are numbered within their thread, so the port's id of a comment contains the numbers of its pull request and its thread:
// "7.301.1" is the first comment of thread 301 of pull request 7.
type commentID struct {
	number  int
	thread  int64
	comment int
}

func (c commentID) id() domain.HostID { return wire.JoinNumbers(c.number, c.thread, int64(c.comment)) }

// commentOf reads the id of a comment of a pull request, or of any pull request if number is 0.
func commentOf(op string, number int, id domain.HostID) (commentID, error) {
	parts, err := wire.NumbersOf(op, number, id, 3)
	if err != nil {
		return commentID{}, err
	}
	return commentID{int(parts[0]), parts[1], int(min(parts[2], 1<<31))}, nil
}

// threadPath is the path of a comment's thread.
func (c commentID) threadPath(r codehost.Repo) string {
	return pullPath(r, c.number) + "/threads/" + strconv.FormatInt(c.thread, 10)
}

func (c commentID) path(r codehost.Repo) string {
	return c.threadPath(r) + "/comments/" + strconv.Itoa(c.comment)
}

// validLogin reports whether a text can be a unique name: an address, or DOMAIN\name on Azure DevOps Server.
func validLogin(s string) bool {
	return s != "" && len(s) <= 255 && strings.TrimSpace(s) == s && !strings.ContainsAny(s, "/:*?\"<>|;,\x00\r\n\t")
}
