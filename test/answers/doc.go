// Package answers gives hostile answers to every method of every client that asks a server
// which a tenant chose: code hosts, issue trackers, models, tool servers and identity
// providers. The methods are found by reflection, so that one that is added is tried, too.
// The memory that a client keeps of an answer, or of a list that never ends, must stay within a bound.
// "make test" tries a sample of the answers, "make hostile" (ASSAY_HOSTILE=full) all of them.
package answers
