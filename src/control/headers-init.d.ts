/** Connect's declarations name this type of the fetch standard; Node's own declare it under another name. */
type HeadersInit = NonNullable<ConstructorParameters<typeof Headers>[0]>;
