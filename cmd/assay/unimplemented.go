package main

import (
	"fmt"
	"strings"

	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
)

// missing is a part of the interface that is not built in this version.
type missing struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	Says string `json:"says"` // its answer or effect instead
}

// unimplemented lists everything that is not built, by kind, from the tables that control the product's
// behaviour.
func unimplemented() (out []missing) {
	add := func(kind, name, says string) { out = append(out, missing{kind, name, says}) }
	for _, r := range httpapi.Routes() {
		switch {
		case !r.Implemented:
			add("route", r.Method+" "+r.Path, "answers 501")
		case !r.Filled:
			add("list", r.Method+" "+r.Path, "stays empty and says X-Filled: false")
		}
	}
	for _, u := range policy.AllUnbuilt() {
		if u.Refusal != "" {
			add("refused value", nameOf(u), u.Refusal)
		} else {
			add("setting without effect", nameOf(u), u.Note)
		}
	}
	for _, u := range policy.AllUnread() {
		add("setting without effect", string(u.Document), u.Note)
	}
	out = append(out, neverSeen()...)
	return out
}

// nameOf returns a row of the table of values without effect as one line.
func nameOf(u policy.Unbuilt) string {
	var documents, values []string
	for _, d := range u.Documents {
		documents = append(documents, string(d))
	}
	for _, v := range u.Values {
		values = append(values, store.JSON(v))
	}
	name := strings.Join(documents, ", ") + ": " + u.Setting
	if len(values) > 0 {
		name += " " + strings.Join(values, ", ")
	} else if u.ActsAs != nil {
		name += fmt.Sprintf(" other than %s", store.JSON(u.ActsAs))
	}
	return name
}

// neverSeen lists values that the description allows in an answer but that never occur, and commands that the
// project's documents plan.
func neverSeen() []missing {
	const value, command = "value that never appears", "command"
	return []missing{
		{value, "inbox: review_request", "waits for suggested reviewers"},
		{value, "dashboard: waiting.reviewRequests", "is 0"},
		{value, "assignment gate: shadow_results", "no suggestion is made, so the condition is never met"},
		{command, "assay backup", "unknown to the command line"},
		{command, "assay restore", "unknown to the command line"},
		{command, "assay db copy", "unknown to the command line"},
		{command, "assay support-bundle", "unknown to the command line"},
		{command, "assay top", "unknown to the command line"},
	}
}
