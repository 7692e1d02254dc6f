package lookup

import (
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
)

// nameParameters are the parameters of tools for names.
var nameParameters = ask.Schema{
	"name": meaning(ask.String, "the name as the code writes it, alone or with what stands before its dot: Total, Order.Total, orders.New"),
	"path": meaning(nullable("string"), "path of a file that uses or defines it; null for the files of the change"),
}

// allTools are the tools, in the order of their descriptions to models.
var allTools = []tool{
	{
		name:        "read_file",
		description: "Shows lines of one file of the repository with their numbers, 200 at most.",
		parameters: ask.Schema{
			"path": meaning(ask.String, "path of the file from the top of the repository"),
			"from": meaning(nullable("integer"), "number of the first line; null for 1"),
			"to":   meaning(nullable("integer"), "number of the last line; null for as many as are shown"),
			"side": meaning(ask.Enum("RIGHT", "LEFT"), "RIGHT for the head of the change, LEFT for the version before it"),
		},
		has: func(*Toolbox) bool { return true },
		use: showFile,
	},
	{
		name: "search",
		description: "Shows lines at the head of the change that hold a text or match an expression, in all files of the " +
			"repository up to 1 MB: the first 40 of the first 200. Upper and lower case differ.",
		parameters: ask.Schema{
			"query": meaning(ask.String, "the text, or the expression"),
			"kind":  meaning(ask.Enum("text", "expression"), "expression for the syntax of RE2, which is matched line by line"),
			"glob":  meaning(nullable("string"), "pattern of the paths to search, such as *.go, src/**/*.ts or internal/; null for all"),
		},
		has: func(t *Toolbox) bool { return t.search != nil },
		use: searchFiles,
	},
	{
		name:        "list",
		description: "Shows the names in one folder at the head of the change, 200 at most; folders end with a slash.",
		parameters: ask.Schema{
			"folder": meaning(ask.String, "path of the folder from the top of the repository; empty for the top"),
		},
		has: func(t *Toolbox) bool { return t.folders != nil },
		use: listFolder,
	},
	{
		name: "definition",
		description: "Shows the code that defines a name at the head of the change: a function, method, type, constant, variable or " +
			"field. The only one is shown whole up to 60 lines, others by their first 30. With a value before the " +
			"dot it shows the method of its type. A name without a definition is shown where it stands.",
		parameters: nameParameters,
		has:        func(t *Toolbox) bool { return t.search != nil },
		use:        definition,
	},
	{
		name: "references",
		description: "Shows where a name of the repository is used at the head of the change, 40 places at most with a line " +
			"before and after each: code first, nearest first, then tests, then a few documents.",
		parameters: nameParameters,
		has:        func(t *Toolbox) bool { return t.search != nil },
		use:        references,
	},
}

// AllSpecs returns the descriptions of all tools, for the hash of the prompts.
func AllSpecs() []llm.Tool { return specsOf(allTools) }
