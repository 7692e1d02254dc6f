// Package tools is a simulated tool server of a team: a catalogue of its services and its runbooks, which
// reviews may query over the Model Context Protocol (streamable HTTP, without sessions). Both tools only read,
// and all their data is the sample of package sim/host/demo. It runs as a library (New, Server.Handler) and as
// a process (Run). It is for demonstrations and tests and must not be reachable from outside the machine.
package tools
