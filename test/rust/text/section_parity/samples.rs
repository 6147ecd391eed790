//! Lines that a language's driver takes, or nearly: the stock that random lines are made of.

/// Below each driver's name its lines, some with blanks at their ends.
const STOCK: &str = include_str!("samples.txt");

/// Returns the drivers' names in the stock's order.
pub fn drivers() -> impl Iterator<Item = &'static str> {
    STOCK.lines().filter_map(|line| line.strip_prefix("==== "))
}

/// Returns the driver's lines; all lines for one that has none.
pub fn samples(driver: &str) -> Vec<&'static str> {
    let own = STOCK.split("==== ").find_map(|part| part.strip_prefix(driver)?.strip_prefix('\n'));
    own.unwrap_or(STOCK).lines().collect()
}

/// Words of many languages that no sample has: a driver may take or refuse a line for one.
const WORDS: &str = "
    abstract accept access alias aliased all and annotation array asm assert auto await base become begin bool boolean
    box break byte callback case chan char checked co_await companion concept const constant const_cast constexpr
    constructor container continue contract crate crossinline decimal declare deep def defcallback defdelegate
    defexception defguard define defn defoverridable defun delegate delete deriving derived dictionary digits dispatch
    dispinterface double dyn dynamic elif elsif ensure entry eval event example except exception exec explicit export
    extends extension external fallthrough false file final finally fixpoint float foreign forward friend from
    function gen generic get global go goto guard handler hidden impl implements implicit import in include infix init
    inline inner inout input int integer is it jsonb label lambda lateinit lazy leaf let library limited load local
    long loop macro macros main make map match memory message method mixin mod modport mutable namespace native
    nonatomic nonlocal nonisolated noinline not null object of on open operator optional or out output override
    package parallel partial partition pass permits pointer prefix procedures program property protocol provide public
    pure qualified raise range readonly reasync record redo ref reference reinterpret_cast repeat require requeue
    rescue restrict retry reverse rule safe sbyte sealed select self separate set short signal signed sizeof some
    static_assert static_cast stackalloc step strictfp string sub submodule super synchronized syntax synthesize
    table tailrec target template terminate test testset then this threadlocal throws trait transient true try tuple
    type typealias typedef typename typeof uint ulong unchecked undef union unit unless unsafe until use ushort using
    value var vararg variant virtual void volatile when where with xor yield
    ABSTRACT ASSOCIATE CONTAINS CRITICAL ELEMENTAL ENTRY ENUM IMPURE INTERFACE PURE RECURSIVE SUBMODULE TEAM TYPE
    Abstract Class Def Fn Function Interface Struct description figure frame frametitle paragraph subparagraph
    table_of_contents EST EXT INT UNIT PRE POST ADJUST";

/// Returns the words of all samples, and others.
pub fn words() -> Vec<&'static str> {
    let of_samples = STOCK.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let mut words: Vec<&str> =
        WORDS.split_whitespace().chain(of_samples).filter(|word| !word.is_empty()).collect();
    words.sort_unstable();
    words.dedup();
    words
}
