package e2e

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/github/simapi"
	gitlabapi "github.com/assay-dev/assay/sim/gitlab/simapi"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// replyHost is a host of the scenarios of replies, fix runs and failed jobs.
type replyHost struct {
	kind domain.ConnectionKind // "" is GitHub
	name string
}

func replyHosts() []replyHost {
	return []replyHost{{"", "github"}, {domain.GitLab, "gitlab"}, {domain.Gitea, "gitea"}, {domain.Forgejo, "forgejo"},
		{domain.BitbucketCloud, "bitbucket-cloud"}, {domain.BitbucketDataCenter, "bitbucket-dc"}, {domain.AzureDevOps, "azure-devops"}}
}

// sampleOfOne is the number of hosts of scenarios whose sample has one.
const sampleOfOne = 1

// onReplyHosts runs a scenario with every host of replies, or with the first hosts as a sample.
func onReplyHosts(t *testing.T, storages []storage, sample int, scenario func(t *testing.T, w *world, host int)) {
	t.Helper()
	onEach(t, replyHosts(), storages, sample, scenario)
}

// onEach runs a scenario with each host, or with the first ones as a sample.
func onEach(t *testing.T, hosts []replyHost, storages []storage, sample int, scenario func(t *testing.T, w *world, host int)) {
	t.Helper()
	t.Parallel()
	for i, h := range hosts {
		if i >= sample && !allHosts() {
			continue
		}
		for _, s := range storages {
			t.Run(h.name+"/"+s.name, func(t *testing.T) {
				t.Parallel()
				scenario(t, replyWorld(t, s, h.kind), i)
			})
		}
	}
}

// replyWorld is a world with a running service, people of every role, and a model that answers the rows.
func replyWorld(t *testing.T, s storage, kind domain.ConnectionKind) *world {
	t.Helper()
	var w *world
	switch kind {
	case "":
		w = newWorld(t, s)
		must(t, w.gh.Configure(w.ctx, simapi.Settings{PrimaryLimit: 1_000_000})) // all replies take more requests than an hour allows
		maps.Copy(w.env, map[string]string{"ASSAY_GATE_CAP_HOUR": "10000", "ASSAY_GATE_CAP_MINUTE": "1000"})
		w.worked()
	case domain.GitLab:
		w = gitlabWorld(t, s)
	case domain.BitbucketCloud:
		w = bitbucketWorld(t, s)
	case domain.BitbucketDataCenter:
		w = dataCenterWorld(t, s)
	case domain.AzureDevOps:
		w = azureWorld(t, s)
	default:
		w = hostWorld(t, s, kind)
	}
	must(t, w.model.SetRules(w.ctx, replyRules()))
	for login, role := range map[string]string{"writer": "write", "reader": "read", "helper": "write", "stranger": ""} {
		_, err := w.host.CreateUser(w.ctx, shared.UserSpec{Login: login})
		must(t, err)
		if role != "" {
			w.collaborator(login, role)
		}
	}
	w.quiet()
	return w
}

// collaborator gives a person a role, "read" or "write", in the repository.
func (w *world) collaborator(login, role string) {
	w.Helper()
	if w.gh != nil {
		must(w.T, w.gh.UpdateRepo(w.ctx, w.repo, simapi.RepoUpdate{Collaborators: map[string]string{login: role}}))
		return
	}
	w.change(repoChange{Collaborators: map[string]string{login: role}})
}

// bot returns the login of an account that is a program, and whether the host marks it as one. Gitea and Forgejo do not mark any.
func (w *world) bot() (login string, marked bool) {
	w.Helper()
	switch {
	case w.gh != nil:
		app, err := w.gh.RegisterApp(w.ctx, simapi.AppSpec{Slug: "helper"})
		must(w.T, err)
		return app.BotLogin, true
	case w.gitlab != nil:
		token, err := w.gitlab.NewToken(w.ctx, "", gitlabapi.TokenSpec{Name: "helper", Project: w.repo})
		must(w.T, err)
		return token.Login, true
	}
	return "helper", false
}

// lasts replaces the bound of a world's time.
func (w *world) lasts(most time.Duration) {
	w.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), most)
	w.Cleanup(cancel)
	w.ctx = ctx
}

// written returns all comments of a pull request, on lines and in the conversation.
func (w *world) written(number int) (out []shared.Comment) {
	w.Helper()
	if w.gh == nil && w.gitea == nil {
		out, err := w.notes(number)
		must(w.T, err)
		return out
	}
	reviews, err := w.host.Reviews(w.ctx, w.repo, number)
	must(w.T, err)
	for _, r := range reviews {
		out = append(out, r.Comments...)
	}
	all, err := w.host.Comments(w.ctx, w.repo, number)
	must(w.T, err)
	return append(out, all...)
}

// oursIn returns the comments that the service wrote.
func oursIn(all []shared.Comment) []shared.Comment {
	return slices.DeleteFunc(slices.Clone(all), func(c shared.Comment) bool { return !strings.HasPrefix(c.User, "assay") })
}

// idle is quiet with more patience, for many pull requests. The budget of the host counts afresh, because a scenario writes more than an
// hour allows, and no setting raises the bounds of Bitbucket and Azure DevOps.
func (w *world) idle() {
	w.Helper()
	testkit.Eventually(w.T, 5*patience, func() (bool, string) {
		if w.gh == nil {
			w.exec(`UPDATE rate_gates SET used_min = 0, used_hour = 0, backoff_n = 0, blocked_until = 0`)
			w.exec(`UPDATE jobs SET run_us = 0 WHERE state = 'queued' AND last_error LIKE '%used up for the moment%'`)
		}
		open, err := w.site.Open(w.ctx)
		return err == nil && len(open) == 0, fmt.Sprintf("%d deliveries, runs and jobs are open (%v)", len(open), err)
	})
	w.quiet()
}

// repliers returns the login of each role, and whether the host marks the bot as one.
func (w *world) repliers() (logins map[string]string, botMarked bool) {
	w.Helper()
	bot, marked := w.bot()
	return map[string]string{"writer": "writer", "author": "dev", "reader": "reader", "stranger": "stranger", "bot": bot}, marked
}
