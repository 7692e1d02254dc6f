// Package answers gives hostile answers to every method of every client that sends requests to a
// server chosen by a tenant: code hosts, issue trackers, models, tool servers and identity providers.
// The methods are found by reflection, so that new ones are tried, too. The memory that a client keeps
// for an answer, or for a list that never ends, must stay within a bound. "make test" tries a sample
// of the answers, "make hostile" (ASSAY_HOSTILE=full) all of them.
package answers
