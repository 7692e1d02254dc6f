package demo

// Ticket is an issue of a tracker that belongs to a pull request of the sample.
type Ticket struct {
	// Project is the key of its project, Number its number there.
	Project string
	Number  int
	// Key joins both, as people write it. The branch of the pull request begins with it in small letters.
	Key string
	// Pull is the number of the pull request in [Repository].
	Pull  int
	Type  string
	State string
	Title string
	// Description is a paragraph; Heading is the title above the criteria.
	Description, Heading string
	Criteria             []Criterion
}

// Criterion is an acceptance criterion of a ticket, and its state at the head of the pull request.
type Criterion struct {
	Text string
	// Met reports whether code at the head meets it.
	Met bool
	// Reason is one sentence about the code that meets it, or about the missing code.
	Reason string
	// Quotes are the code at the head that meets it.
	Quotes []Quote
	// Searched lists the places that should meet it but do not.
	Searched []Place
}

// Quote is code of a file, one line or several.
type Quote struct{ Path, Code, Note string }

// Place is a file, or a pattern of files with a text that all of them lack.
type Place struct{ Path, Query, Note string }

// ProjectName is the name of the project of [PagesTicket].
const ProjectName = "Shop"

// PagesTicket returns the ticket of the first pull request of [Repository]. One of its criteria was forgotten.
// A diff cannot show that, because the file that should have changed did not.
func PagesTicket() Ticket {
	return Ticket{
		Project: "SHOP", Number: 12, Key: "SHOP-12", Pull: 1, Type: "Story", State: "In Review",
		Title:       "Long lists of orders come in pages",
		Description: "Customers with thousands of orders wait half a minute for their list, and some give up. Support hears of it every week.",
		Heading:     "Acceptance criteria",
		Criteria: []Criterion{
			{Text: "A page has 20 orders unless the caller asks for another size, and 100 at most.", Met: true,
				Reason: "A size that is absent or above the maximum becomes the default.",
				Quotes: []Quote{{"internal/order/page.go", "\tif size < 1 || size > maxPageSize {\n\t\tsize = defaultPageSize\n\t}",
					"sizes out of range"}}},
			{Text: "The answer says how many orders the customer has in all.", Met: true,
				Reason: "Each page carries the number of all orders.",
				Quotes: []Quote{{"internal/order/page.go", "\tpage := Page{Orders: []Order{}, Number: number, Size: size, Total: len(orders)}",
					"the total"}}},
			{Text: "Orders stay sorted, the newest first.", Met: true,
				Reason: "The store sorts by time before anything is cut, as it did already.",
				Quotes: []Quote{{"internal/order/store.go", "\tsort.Slice(out, func(i, j int) bool { return " +
					"out[i].PlacedAt.After(out[j].PlacedAt) })", "sorted before it is cut"}}},
			{Text: "The web page asks for one page at a time and reads the new answer.",
				Reason: "The web client is unchanged: it asks for no page, and still expects the whole list at the top of the answer.",
				Searched: []Place{{Path: "web/src/api.ts", Note: "reads the orders of a customer"},
					{Query: "pageSize", Path: "web/**", Note: "nothing asks for a page"}}},
		},
	}
}
